"""Cues of hypotheses in prose: the words that name one, and the words that deny, condition or only mention it.

Everything is data here; `work_polarity` and `work_subjects` say how the tables are used. Patterns match text without
markup, in any case. A cue whose scope is unclear counts: a hypothesis that is doubtful is not stated.
"""

from __future__ import annotations

import re

_WHOLE = (
    r"(?!\.?\d)(?!\s?(?:[\^*·×÷+±]|/(?!\s?[a-z]{3}))|\s?[−-]\s?(?:[\d(√ε]|\w\b(?!\s\w)))"
    r"(?!\s(?:over|divided|half|halves|thirds?|quarters?|fourths?|fifths?|tenths?|hundredths?|times|plus|minus|percent"
    r"|or(?! so\b)|to|up|at (?:most|least)|and (?:more|less|above|below|up|a half)|per cent)\b|\s?%)"
)
"""A number that ends here: ``1``, and not the beginning of ``1/d`` or of ``one half``."""
_ZERO = rf"(?:0|zero\b){_WHOLE}"
_ONE = rf"(?:(?:1|one\b){_WHOLE}|unit\b)"
_OTHER = r"(?=[\d√ε(−-]|(?![aAI]\b)[^\W\d_]\b|(?:one|two|three|four|five|ten|half)\b)"
"""A value, whatever it is."""
_IS = (
    r"(?:\s|\b(?:is|are|be|being|was|were|of|equals?|to|all|both|values?|the|has|have|every|each|components?|entr(?:y|ies)"
    r"|not|never|no longer|need|needn['’]t|isn['’]t|aren['’]t|assumed|supposed|taken|always|necessarily|exactly"
    r"|may|must|can|cannot|any|also|again)\b|=|⟦\w+⟧)*"
)
"""What may stand between a moment and its value; a denial among it denies."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


TOPICS: dict[str, re.Pattern[str]] = {
    "iid": _any(r"\bi\.?\s?i\.?\s?d\b\.?", r"独立同分布", r"獨立同分[布佈]"),
    "independent": _any(r"\bindependen(?:t|ce|tly)\b", r"(?:相互)?(?:独立|獨立)", "⊥"),
    "uncorrelated": _any(r"\buncorrelated\b", r"\bno correlation\b", r"不相关", r"不相關"),
    "dependent": _any(
        r"\b(?:inter)?dependen(?:t|ce|ces|cies|cy)\b", r"(?<!un)(?<!auto)\bcorrelat(?:ed|ion|ions)\b",
        r"\bcoupled\b", r"\bentangled\b", r"\bcomonotone\b",
        r"\b(?:is|are|be|being|as) (?:a |the )?(?:\w+ )?(?:function|copy|copies|multiple|image|rotation) of\b",
        r"\bdepends? on\b", r"\bdetermined by\b", r"\bcomputed from\b", r"(?<![不无無])相关(?!于)", r"依赖",
    ),
    "same vector": _any(
        r"\b(?:is|are|be|being) (?:both |all |one and )?(?:the )?(?:same|identical|equal)\b(?! (?:mean|variance|law"
        r"|distribution|length|dimension|size|shape|moments?|components?|number|value|order|as before))(?!ly)",
        r"(?<!means )(?<!mean )(?<!variances )(?<!variance )(?<!deviation )(?<!expectation )\bequals?\b",
        r"\bcoincides?\b", r"\b(?:one|a single|the same|a common) (?:random )?vector\b(?! space)",
        r"\b(?:share|shares|sharing|shared) (?:one|a|the|their)\b",
    ),
    "same law": _any(
        r"\bidentical(?:ly)?\s+distribut\w*", r"\bsame\s+(?:distribution|law)\b", r"\bone\s+law\b", r"同分布", r"同分佈"
    ),
    "zero mean": _any(
        r"\b(?:zero|0)[\s-]?means?\b", r"\bmean[\s-]zero\b", r"\bcent(?:ered|red)\b",
        rf"\b(?:mean|means|expectation|expectations|expected value)\b{_IS}{_ZERO}",
        rf"均值[为為]\s?{_ZERO}", r"零均值",
    ),
    "another mean": _any(rf"\b(?:means?|expectations?|expected values?)\b{_IS}{_OTHER}"),
    "mean": _any(r"\b(?:means?|expectations?|expected values?)\b"),
    "unit variance": _any(
        r"\bunit[\s-]variances?\b", rf"\bvariances?\b{_IS}{_ONE}", rf"\bstandard deviations?\b{_IS}{_ONE}",
        rf"(?:方差为|變異數為)\s?{_ONE}",
    ),
    "another variance": _any(rf"\b(?:variances?|standard deviations?)\b{_IS}{_OTHER}"),
    "variance": _any(r"\b(?:variances?|standard deviations?)\b", r"方差"),
    "standard normal": _any(
        r"\bstandard\s+(?:normal|gaussian)\b", r"\bN\s?\(\s?0\s?,\s?(?:1|I(?:_\w+)?|\[?I_?\w*\]?)\s?\)"
    ),
    "isotropic normal": _any(r"\bN\s?\(\s?0\s?,\s?(?:[^,()]{0,12}\s)?I(?:_\S+)?\s?\)"),
    "normal": _any(r"\bnormal(?:ly)?\b", r"\bgaussian\b", r"∼ ?N\b"),
    "orthonormal": _any(r"\borthonormal(?:ity)?\b"),
    "orthogonal": _any(r"\borthogonal(?:ity)?\b", r"\bperpendicular\b", "⊥"),
    "unit norm": _any(
        r"\bunit\s+(?:norms?|lengths?|vectors?)\b", rf"\b(?:norms?|lengths?)\b{_IS}{_ONE}",
        r"\bnormali[sz]ed\b",
    ),
    "norm": _any(r"\bnorms?\b", r"\b(?:squared )?lengths?\b"),
    "total": _any(rf"\b(?:sum|add)s?\s+(?:up\s+)?to\s+{_ONE}"),
    "distinct": _any(r"\bdistinct\b", r"\bdifferent\b", r"\bunequal\b"),
    "positive": _any(r"\bpositive\b"),
}  # fmt: skip
"""The words that name a hypothesis, in the order in which overlapping matches count."""

OPPOSITES = {"dependent": ("independent", "uncorrelated"), "same vector": ("independent", "uncorrelated")}
"""Topics whose assertion denies others."""

IMPLIED = {
    "iid": ("independent", "same law"),
    "standard normal": ("zero mean", "unit variance", "normal", "mean", "variance"),
    "zero mean": ("mean",),
    "another mean": ("mean",),
    "another variance": ("variance",),
    "unit variance": ("variance",),
    "orthonormal": ("orthogonal", "unit norm"),
}
"""Topics that another one states as well."""

# Neutral phrases ------------------------------------------------------------------------------------

NEUTRAL = _any(
    r"\bwithout (?:any )?loss of generality\b", r"\bw\.?l\.?o\.?g\b\.?", r"\bno matter\b", r"\bnot only\b",
    r"\bif and only if\b", r"\bnot equal\b",
    r"\b(?:if|when|whenever|unless|for|where) (?:\w+ )?[ijlr] ?(?:(?:=|≠|and|are|is|differ|distinct|not) ?"
    r"[ijlr]?\b)*(?=[\s,.;:]|$)",
    r"\b(?:may|can) (?:\w+ly |then |also |therefore )?(?:assume|suppose|take)\b",
    r"\bnot (?:necessarily )?(?:the )?identical(?:ly)? distribut\w+",
    r"\bneed not (?:be|have) (?:the )?(?:same law|same distribution|identically distributed)\b",
    r"\bif (?:you|we) (?:like|wish|prefer)\b",
    r"\bunless (?:otherwise \w+|\w+ otherwise)\b", r"\bwhy not\b",
)  # fmt: skip
"""Phrases that hold a word of denial or condition, and neither deny nor condition a hypothesis."""

# Denial ---------------------------------------------------------------------------------------------

NEGATIONS = _any(
    r"\bnot\b", r"n['’]t\b", r"\bcannot\b", r"\bnever\b", r"\bno\b", r"\bnon-", r"\bnone\b", r"\bnothing\b",
    r"\bneither\b", r"\bnor\b", r"\bnobody\b", r"\bnowhere\b", r"\bhardly\b", r"\bbarely\b", r"\bscarcely\b",
    r"\bwithout\b", r"\bfail(?:s|ed|ing|ure)?\b", r"\bfar from\b", r"\banything but\b", r"\brather than\b",
    r"\binstead of\b", r"\black(?:s|ed|ing)?\b", r"\babsence\b", r"\babsent\b", r"\bunlike\b", r"\bexcept(?:ing|ion|"
    r"ions)?\b", r"\bapart from\b", r"\bbut for\b", r"\bdrop(?:s|ped|ping)?\b", r"\brelax(?:es|ed|ing)?\b",
    r"\bremov(?:e|es|ed|ing)\b", r"\babandon\w*", r"\bgiv(?:e|en|es|ing) up\b", r"\bwaiv\w+", r"\bdispens\w+",
    r"\bviolat\w+", r"\bbreak(?:s|ing)?\b", r"\bbroken\b", r"\blos(?:e|es|t|ing)\b", r"\bfalse\b", r"\bwrong(?:ly)?\b",
    r"\buntrue\b", r"\bincorrect(?:ly)?\b", r"\bmistake\w*", r"\bmyth\b", r"\bdoubt\w*", r"\bden(?:y|ies|ied)\b",
    r"\brefus\w+", r"\breject\w*", r"\bunless\b", r"\bsuperfluous\b", r"\bunnecessary\b", r"\bunneeded\b",
    r"\bunrealistic\b", r"\bimpossible\b", r"\bunlikely\b", r"\billusion\b", r"\binvalid\b", r"\bforget\b",
    r"\bignor(?:e|es|ed|ing)\b", r"\bavoid\w*", r"\bdestroy\w*", r"\bspoil\w*", r"\bruin\w*", r"\bomit\w*",
    r"\bskip\w*", r"\bsans\b", r"\bexclud\w+", r"\brul(?:e|es|ed|ing) out\b", r"\blift(?:s|ed|ing)?\b",
    r"\bweaken\w*", r"\brefrain\w*", r"\bdisclaim\w*", r"\bleft? open\b", r"\bleav(?:e|es|ing) open\b",
    r"\bspared?\b", r"\bcontra(?:ry|dict)\w*", r"\bopposite\b", r"\bother than\b", r"\bceas\w+", r"\bstops?\b",
    r"不", r"没有", r"沒有", r"并非", r"並非", r"无需", r"無需", r"非",
)  # fmt: skip

LOCAL_NEGATIONS = _any(
    r"\bwithout\b", r"\b(?:need(?! not|n)|needed|needs|require|required|requires|necessary|used?|uses)\b",
    r"\b(?:matters?|enters?|plays?)\b", r"\bsuperfluous\b", r"\bunnecessary\b", r"\bunneeded\b", r"\bavoid\w*",
    r"无需", r"無需",
)  # fmt: skip
"""A denial with one of these says what a sentence does without, not that the hypothesis is given up."""

DROPPED = _any(
    r"\b(?:drop|dropped|abandon|abandoned|remove|removed|give up|given up|relax|relaxed|lift|lifted)\b",
    r"\b(?:false|wrong|untrue|incorrect|doubtful|doubted|violated|broken)\b",
    r"\b(?:not|n['’]t|never|cannot|no longer) (?:\w+ )?(?:true|so|the case|assum\w+|suppos\w+|hold|holds|given|"
    r"guaranteed|granted|really)\b",
)  # fmt: skip
"""What a later clause says of a hypothesis that an earlier one stated."""

EXCLUSIVE = _any(
    r"\b(?:only|merely|solely|just|nothing but|no more than)\b(?=.{0,40}\b(?:assum|suppos|know|given|requir|hypothes))",
    r"\b(?:assum|suppos|know|given|requir|hypothes)\w*\b.{0,24}\b(?:only|merely|solely|just|nothing but)\b",
)  # fmt: skip
"""A sentence that gives up everything that it does not name."""

# Condition, doubt, mention --------------------------------------------------------------------------

CONDITIONS = _any(
    r"\bif\b", r"\bwhen(?:ever)?\b", r"\bprovided\b", r"\bas long as\b", r"\bso long as\b", r"\bsupposing\b",
    r"\bonce\b", r"\bin the case\b", r"\bunder the condition\b", r"若", r"如果", r"当", r"當",
)  # fmt: skip
"""What makes a hypothesis of its own sentence alone."""

HYPOTHETICAL = _any(
    r"\bwere\b(?! drawn| sampled| given| assumed| chosen)", r"\bwould\b", r"\bcould\b", r"\bmight\b", r"\bhad\b",
    r"\bunless\b", r"\bonly (?:if|when|for|under|in)\b", r"\beven (?:if|when|though)\b", r"\bwhether\b",
    r"\bin case\b", r"\buntil\b", r"\botherwise\b", r"\bwhat if\b", r"\bimagine\b", r"\bpretend\w*", r"\bshould\b",
    r"\bought\b", r"\bas if\b", r"\bas though\b", r"\blest\b", r"\bhypothetical\w*", r"除非",
)  # fmt: skip
"""What supposes for the sake of argument."""

DOUBTS = _any(
    r"\bmay\b", r"\bmust\b(?=.{0,20}\bbe\b)", r"\bcan\b", r"\bperhaps\b", r"\bmaybe\b", r"\bpossibl[ey]\b",
    r"\bprobabl[ey]\b", r"\bpresumabl[ey]\b", r"\bhopefully\b", r"\bseem\w*", r"\bappear\w*", r"\blikely\b",
    r"\boften\b", r"\busual(?:ly)?\b", r"\btypical(?:ly)?\b", r"\bsometimes\b", r"\boccasionally\b", r"\brarely\b",
    r"\bseldom\b", r"\bin practice\b", r"\bnearly\b", r"\balmost\b", r"\bapproximate(?:ly)?\b", r"\broughly\b",
    r"\bclose to\b", r"\basymptotic\w*", r"\bweakly\b", r"\bpartly\b", r"\bpartially\b", r"\bmostly\b", r"\blargely\b",
    r"\bpairwise\b", r"\bconditional(?:ly)?\b", r"\blocally\b", r"\bmarginally\b", r"\blinearly\b", r"\bsupposedly\b",
    r"\ballegedly\b", r"\bhop(?:e|es|ed|ing)\b", r"\bwish\w*", r"\bwant\w*", r"\bbeliev\w+", r"\btempt\w+",
    r"\bsaid to be\b", r"\bcalled\b", r"\bmeans that\b", r"\bdefin(?:e|es|ed|ition)\b", r"\bquestion\b(?! says)",
    r"\bneeds?\b", r"\bneed(?:ed|ing)\b", r"\brequir\w+", r"\brel(?:y|ies|ying) on\b", r"\brests? on\b",
    r"\bhinges? on\b", r"\b(?:some|most|many|half|few) of\b", r"\bat least one\b", r"\bas (?:\w+ )?(?:grows|→)",
    r"\bso-called\b", r"\b(?:show|prove|verify|check|decide|determine|test|claim) (?:that|whether)\b(?!.*\b(?:for|if|"
    r"when|with|where|given|whose)\b)", r"\bfriend\w*", r"\bplausibl[ey]\b", r"\bnaive(?:ly)?\b", r"\bat first\b",
    r"\bin the limit\b", r"\bon average\b", r"\bin spirit\b", r"\bessentially\b", r"\bpractically\b", r"\bvirtually\b",
    r"\bcompare\b", r"\bonly (?:in|for|on|approximately|under|at|by|pairwise|within|among|a|as)\b", r"\blooks?\b",
    r"\bas good as\b", r"\bnext to\b", r"\bmore or less\b", r"\b(?:sort|kind) of\b", r"\bat best\b", r"\bin effect\b",
    r"\bquasi\b", r"\bto first order\b", r"\b(?:belief|opinion|view|idea|impression|folklore|rumou?r|conjecture|guess|"
    r"custom|habit|dream|fiction)\b", r"\bwith (?:\w+ )?probability\b",
    r"\bfor (?:large|small|big|sufficiently|most|some|many|typical)\b",
    r"\b(?:first|last|even|odd|two|three|few|several|certain|some|many|most|half|leading|upper|lower)"
    r"(?: \w+)? (?:components|entries|coordinates|elements|keys|tokens|vectors of)\b", r"\ball\b[^.;,]{0,40}\bbut\b",
    r"\b(?:nearly|almost) all\b", r"\bor so\b", r"\bup to (?:a|an|some)\b",
)  # fmt: skip
"""What weakens a hypothesis, or speaks of it without stating it."""

OPINIONS = _any(
    r"\b(?:people|someone|somebody|some|many|most|others|another|textbooks?|books?|authors?|papers?|blogs?|posts?|"
    r"tutorials?|articles?|students?|colleagues?|he|she|whoever|everybody|everyone|nobody|lecturer|teacher|professor|"
    r"neighbou?r|classmate|critics?|readers?|lecture|slides?|one)\b.{0,40}\b(?:say|said|claim|think|thought|believe|"
    r"assume|argue|suppose|write|wrote|state|told|hold|insist|object|suggest|maintain|assert|declare|tell|conclude)\w*",
    r"\baccording to\b(?! the (?:problem|exercise|question|task|sheet|assignment|statement))",
)  # fmt: skip
"""Somebody else's assumption."""

HEDGES = _any(
    r"^\W*(?:or so|or not|they say|he says|she says|i (?:guess|think|suppose|hope|believe)|it seems|right\b\W*$|perhaps"
    r"|maybe|supposedly|allegedly|presumably|hopefully|at least|at best"
    r"|so (?:he|she|they|people|it is|the (?:book|text|story|saying|authors?|lecture)) \w+"
    r"|as (?:some|many|people|they|most)\b|up to (?:a|an|some|the)\b"
    r"|(?:after (?:dividing|scaling|multiplying) by|(?:re)?scaled by)(?: [^\s.]+){1,3}\W*$)"
)
"""A later clause that takes a statement half back."""
STIPULATIONS = _any(
    r"\blet\b", r"\bassum(?:e|es|ed|ing)\b", r"\bsuppose[ds]?\b", r"\bgiven\b", r"\bconsider\b", r"\btak(?:e|ing)\b",
    r"\bdraw(?:n|s)?\b", r"\bsampled?\b", r"\bchoose\b", r"\bby (?:assumption|hypothesis)\b", r"\bhypothes[ei]s\b",
    r"\bfix\b", r"设", r"設", r"假设", r"假設",
)  # fmt: skip
"""What sets a hypothesis up, whatever is said behind it."""

PROBLEM = _any(
    r"^\W*(?:theorem|claim|proposition|lemma|corollary|problem|exercise|question|task|statement|hypothes[ei]s|"
    r"assumptions?|setting|setup|given|to show|to prove|show that|prove that|find|compute|what (?:is|are))\b",
    r"\b(?:problem|exercise|question|task|sheet|assignment|statement)\b(?:.{0,30}\b(?:says?|states?|assumes?|gives?|"
    r"tells?|supposes?|reads?|asks?)\b)?",
)  # fmt: skip
"""A sentence that states or quotes the problem."""

CAUSES = _any(r"\b(?:since|because|as|thanks to|due to|owing to)\b")
USES = _any(
    r"\b(?:by|using|use|used|from|under|thanks to|due to|because of|since|via|through|invoking|exploiting|apply(?:ing)?"
    r"|owing to|with|on account of)(?: the| their| this| mutual| our)*(?: assumed| assumption of| assumptions? of)?\s*$"
)
ASSUMES = _any(
    r"\b(?:assum(?:e|es|ed|ing)|suppos(?:e|es|ed|ing)|have|given|postulate|impose)(?: the| their| mutual)*\s*$"
)
ASIDES = _any(
    r"^\W*(?:remark|aside|outlook|discussion|comment|footnote|variant|extension|p\.?s\.?|afterthought|"
    r"counter-?example|special case|postscript|epilogue|caveat)\b"
)
"""The beginning of a paragraph or heading whose hypotheses are its own."""

# Objects --------------------------------------------------------------------------------------------

COMPONENTS = _any(
    r"\b(?:components?|entr(?:y|ies)|elements?|coordinates?|features?)\b", r"分量", r"元素", r"\bcomponent-?wise\b",
)  # fmt: skip
OTHER_OBJECTS = _any(
    r"\b(?:weights?|values?|scores?|outputs?|logits?|tokens?|positions?|heads?|layers?|rows?|columns?|products?|"
    r"summands?|terms?|samples?|errors?|gradients?|labels?|projections?|parameters?|events?|runs?|experiments?|"
    r"batches|sentences?|steps?|choices?|results?|claims?|statements?|arguments?|proofs?)\b"
)
EVERYTHING = _any(
    r"\ball (?:of )?(?:the |these |those |our )?(?:\w+ )?(?:components|entries|elements|coordinates|numbers|variables|"
    r"random variables|quantities)\b", r"\beverything\b", r"\ball (?:mutually |jointly )?independent\b",
)  # fmt: skip
NOT_RANDOM = _any(
    r"^\W*(?:cases?|settings?|situations?|versions?|models?|reasons?|proofs?|arguments?|results?|checks?|interest|claims?|"
    r"ways?|variables? \w+ is|parameters?)\b"
)
"""What follows "independent" where no random vector is meant."""
COMPONENTS_BEHIND = _any(
    r"^\W*(?:of|between|among|amongst|across) (?:(?:all|the|these|those|their|our|its|\d*\w) )*"
    r"(?:components|entries|coordinates|elements|random variables)\b"
)
OBJECTS = {
    "k": _any(r"\bkeys?\b", r"\bk_"),
    "v": _any(r"\bvalues?\b", r"\bv_"),
    "q": _any(r"\bquer(?:y|ies)\b"),
    "x": _any(r"\b(?:tokens?|inputs?|embeddings?|codes?|encodings?)\b", r"\bx_"),
    "mu": _any(r"\bmeans\b", r"\b(?:mu|μ)_"),
    "u": _any(r"\bu_"),
    "a": _any(r"\bweights?\b"),
    "o": _any(r"\boutputs?\b"),
}
"""Nouns and letters of the objects that may be orthonormal."""
EXCEPTIONS = _any(
    r"^\W*(?:except|apart from|aside from|but for|save for|excluding|with the exception|barring|beyond|outside)\b"
)
CONTRASTS = _any(r"^\W*(?:contrary to|unlike|instead of|rather than|without|far from|not)\b")
"""The opening of a clause that takes the rest of its sentence back, or may."""
PRONOUNS = _any(r"\b(?:they|their|them|these|those|it|its|both|whose|which|latter|former)\b")

__all__ = [
    "ASIDES", "ASSUMES", "CAUSES", "COMPONENTS", "COMPONENTS_BEHIND", "CONDITIONS", "CONTRASTS", "DOUBTS", "DROPPED",
    "EVERYTHING", "EXCEPTIONS", "EXCLUSIVE", "HEDGES", "HYPOTHETICAL", "IMPLIED", "LOCAL_NEGATIONS", "NEGATIONS",
    "NEUTRAL", "NOT_RANDOM", "OBJECTS", "OPINIONS", "OPPOSITES", "OTHER_OBJECTS", "PROBLEM", "PRONOUNS",
    "STIPULATIONS", "TOPICS", "USES", "_IS", "_ONE", "_ZERO",
]  # fmt: skip
