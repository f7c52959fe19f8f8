"""Sides of chains as people write them, against what they say in the strict notation of plain text."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symattn.notation.sides.reader import Notation, read_side
from symattn.notation.submission import Side
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import write_plain
from tests.notation import build as b
from tests.notation.sides.functions import SIDE_FUNCTIONS

LATEX = [
    ("0{,}5", "0.5"),
    ("0,5", "0.5"),
    (".5", ".5"),
    ("0.", "0"),
    (r"1\,000", "1000"),
    (r"37\%", "37e-2"),
    ("1.2e-3", "1.2e-3"),
    (r"6.90 \times 10^{-13}", "6.90e-13"),
    (r"1.41421356\ldots", "1.41421356"),
    (r"\mathbf{0.804}", "0.804"),
    (r"\text{0.5}", "0.5"),
    (r"-\infty", "-infinity"),
    ("2^{1/2}", "2^(1/2)"),
    ("K^T", "K^T"),
    (r"K^\top", "K^T"),
    ("K^{T}", "K^T"),
    (r"K^\intercal", "K^T"),
    ("K^t", "K^T"),
    (r"K^{\prime}", "K^T"),
    ("W^{(h)}", "W_h"),
    ("W^*", "W_star"),
    (r"W^\dagger", "W_dagger"),
    ("W^Q", "W_Q"),
    ("W_1^Q", "W_{1,Q}"),
    ("W^{(1)}_Q", "W_{Q,1}"),
    ("W^{Q}", "W_Q"),
    (r"\tilde{S}", '"tilde S"'),
    (r"\hat S_{11}", '"hat S"_11'),
    (r"\mathbf{W}_Q^\top\mathbf{x}_i", "W_Q^T x_i"),
    (r"\text{attention map}", '"attention map"'),
    ("softmax(QK^T)", "softmax(Q K^T)"),
    (r"\text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V", "softmax((Q K^T)/sqrt(d_k)) V"),
    (r"\sigma(QK^T)", "softmax(Q K^T)"),
    (r"\sigma(x)", "sigma (x)"),
    (r"\text{softargmax}_\beta([1, 2])", "softargmax([1, 2])"),
    (r"\text{softmax}_{row}(S)", "softmax(S)"),
    ("QK^T", "Q K^T"),
    ("(QK^T)_{11}", "(Q K^T)_11"),
    (r"2 \cdot -1/2", "2*-1/2"),
    ("1 * -0.5", "1*-0.5"),
    ("3 + -3", "3 + -3"),
    ("(1)(2)", "(1)(2)"),
    ("3(2)", "3 (2)"),
    ("0.25(2)", "0.25 (2)"),
    (r"2{\cdot}3", "2*3"),
    ("e^{1.5}", "e^1.5"),
    ("e^-3.5", "e^(-3.5)"),
    (r"\exp{1.5}", "exp(1.5)"),
    (r"\exp(1.5)", "exp(1.5)"),
    (r"\exp 1.5", "exp(1.5)"),
    (r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \\ \end{bmatrix}", "[[1, 2], [3, 4]]"),
    (r"\begin{bmatrix*}[r] 1 & 2 \\[4pt] 3 & 4 \end{bmatrix*}", "[[1, 2], [3, 4]]"),
    (
        r"\left[ \begin{array}{cc|cc} 1 & 2 & 3 & 4 \\ \hline 5 & 6 & 7 & 8\end{array}\right]",
        "[[1, 2, 3, 4], [5, 6, 7, 8]]",
    ),
    (r"\begin{bmatrix} 1 & 2 \ 3 & 4 \end{bmatrix}", "[[1, 2], [3, 4]]"),
    (r"\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \end{bmatrix}", "[[1, 2], [3, 4]]"),
    (r"\begin{bmatrix} 1 \quad 2 \\ 3 \;\; 4 \end{bmatrix}", "[[1, 2], [3, 4]]"),
    (r"\begin{bmatrix} 1, 2 \\ 3, 4 \end{bmatrix}", "[[1, 2], [3, 4]]"),
    (r"\begin{bmatrix} 0,1 & 2 \\ 3 & 0,4 \end{bmatrix}", "[[0.1, 2], [3, 0.4]]"),
    (r"\begin{bmatrix} -x_1^T- \\ -x_2^T- \end{bmatrix}", "[[x_1^T], [x_2^T]]"),
    (r"\begin{bmatrix} — x_1^\top — \\ — x_2^\top — \end{bmatrix}", "[[x_1^T], [x_2^T]]"),
    (r"\begin{bmatrix} - & x_1^\top & - \\ \vdots \\ - & x_2^\top & - \end{bmatrix}", "[[x_1^T], [...], [x_2^T]]"),
    (r"\begin{bmatrix} | & | \\ v_1 & v_2 \\ | & | \end{bmatrix}", "[[v_1, v_2]]"),
    (r"[a\;\;b]", "[a, b]"),
    (r"[1.41\;\;0.71]", "[1.41, 0.71]"),
    (r"\langle 1,2\rangle", "(1, 2)"),
    (r"\langle q,k\rangle", "inner(q, k)"),
    (r"\left(1, 2\right)", "(1, 2)"),
    ("[1, 2]^T", "[1, 2]^T"),
    ("[0.1 0.2 0.7]", "[0.1, 0.2, 0.7]"),
    (r"0.5 \times [2,3]", "0.5 × [2, 3]"),
    (r"\frac{1}{\sqrt2}\begin{bmatrix}1&2\end{bmatrix}", "(1/sqrt(2)) [[1, 2]]"),
    (r"\frac{2.03,\ 4.10,\ 2.03}{8.16}", "(2.03, 4.10, 2.03)/8.16"),
    (r"\boxed{-2}", "boxed(-2)"),
    (r"\cancel{x} + 1", "x + 1"),
    (r"\underbrace{1 + 2}_{\text{three}} + 4", "1 + 2 + 4"),
    (r"\color{red}{0.5} + \textcolor{red}{x}", "0.5 + x"),
    (r"\displaystyle \frac12 \! + \, 3 ~ \tag{1}", "1/2 + 3"),
    (r"\therefore x", "x"),
    (r"\big( 1 + 2 \Bigr)", "(1 + 2)"),
    (r"\sum_{j=1}^{3} a_{3,j} v_j", "sum_{j=1}^{3} a_{3,j} v_j"),
    (r"\sum_j^n e^{x_j}", "sum_{j=1}^{n} e^(x_j)"),
    (r"\sum_j e^{z_j}", "sum_{j} e^(z_j)"),
    (r"\frac{e^{1}}{\sum_{j} e^{z_j}}", "e^1/(sum_{j} e^(z_j))"),
    (r"\mathbb{E}[q_i^2]", "𝔼[q_i^2]"),
    (r"\text{Var}(q \cdot k)", "Var(q*k)"),
    ("Var(x)", "Var(x)"),
    (r"\operatorname{Cov}(a, b)", "Cov(a, b)"),
    (r"\mathcal{N}(\mu,\Sigma)", "normal(mu, Sigma)"),
    (r"\|x\|", "norm(x)"),
    ("|x - y|", "abs(x - y)"),
    (r"\|x\|_2^2", "norm(x)^2"),
    (r"\mathbb{R}^{3\times 2}", "ℝ^{3×2}"),
    (r"\frac12x", "(1/2) x"),
    ("d_{model}", "d_model"),
    (r"\begin{pmatrix} -\infty & 0 \end{pmatrix}", "[[-infinity, 0]]"),
    (r"\{1, 2\}", "{1, 2}"),
    (r"\left| \frac12 \right|", "abs(1/2)"),
    (r"V.\hat{a}_1", 'V*"hat a"_1'),
    (r"a_{1,\cdot}", "a_{1,:}"),
    (r"\text{Var}(\cdot)", "Var(...)"),
    ("Attention(Q,K,V)", "Attention(Q, K, V)"),
    (r"1/\sqrt2 \begin{bmatrix} 1 \\ 2 \end{bmatrix}", "(1/sqrt(2)) [[1], [2]]"),
    (r"\begin{bmatrix} 1 & 2 & | & 3 \\ 4 & 5 & | & 6 \end{bmatrix}", "[[1, 2, 3], [4, 5, 6]]"),
    (r"x^{\text{new}}", "x_new"),
    (r"\mathbf{W}_{\mathbf{q}}^1", "W_{q,1}"),
    (r"\frac{[1, 2]}{\sum}", '[1, 2]/"sum"'),
    ("(e,1,e)/(2e+1)", "(e, 1, e)/(2 e + 1)"),
    ("1.5e+1", "1.5 e + 1"),
    ("-1.404e+1", "-1.404e1"),
    (r"\log_2 8", "log(8)/log(2)"),
    (r"\max_j s_j", "max(s_j)"),
    (r"e^{-\frac52}", "e^(-5/2)"),
    (r"\frac 10 20", "10/20"),
    (r"\frac12^2", "(1/2)^2"),
    ("{a+b}^2", "(a + b)^2"),
    (r"-\underbrace{a+b}_{c}", "-(a + b)"),
    ("a - {b + c}", "a - (b + c)"),
    (r"\mathbb{E}_x[x^2]", "𝔼[x^2]"),
    (r"6.9 \cdot 10^{-3}", "6.9e-3"),
    ("10^{-3}", "10^(-3)"),
    (r"\left[\!\begin{array}{c} 1 \\ 2 \end{array}\!\right]", "[[1], [2]]"),
    (r"\begin{bmatrix} 1 2 \\ 3 4 \end{bmatrix}", "[[1, 2], [3, 4]]"),
    (
        r"\begin{bmatrix} 0.40 + 0.20 & 0.25(2) \\ 1{\cdot}1 + 0{\cdot}1 & 1*1 +2*0 \end{bmatrix}",
        "[[0.40 + 0.20, 0.25 (2)], [1*1 + 0*1, 1*1 + 2*0]]",
    ),
    (r"\begin{bmatrix} 1 & 2 & \\ 3 & 4 & \end{bmatrix}", "[[1, 2], [3, 4]]"),
    ("e^{0,5}", "e^0.5"),
    ("z_{3,1}", "z_{3,1}"),
    ("(0,5)", "(0, 5)"),
    ("0,-1,2", "(0, -1, 2)"),
    ("1,5-2,5", "1.5 - 2.5"),
    (r"\exp\left(\frac{1}{2}\right)", "exp(1/2)"),
    (r"\exp(-\infty)", "exp(-infinity)"),
    (r"\beta \cdot 2", "beta*2"),
    ("β x", "beta x"),
    (r"\alpha_{ij}", "alpha_{i j}"),
    (r"1\!\cdot\!2", "1*2"),
    (r"\mathrm{softmax}(S)_{11}", "softmax(S)_11"),
    (r"3 \div 4", "3/4"),
    (r"2 \times -1 + 0 \times 1", "2 × -1 + 0 × 1"),
    (r"\cfrac{1}{2}", "1/2"),
    (r"\left\langle q, k \right\rangle", "inner(q, k)"),
    (r"\begin{vmatrix} 1 & 2 \\ 3 & 4 \end{vmatrix}", "[[1, 2], [3, 4]]"),
    (r"\text{-}0.5", "-0.5"),
    (r"\tfrac{1}{2}\left(3\right)", "(1/2)(3)"),
    (r"K^{\mathsf{T}}", "K^T"),
    (r"K^{\text{T}}Q", "K^T Q"),
    (r"{K^\top}", "K^T"),
    ("{W^Q}^T", "W_Q^T"),
    ("W_{Q}^{T}", "W_Q^T"),
    (r"\hat{\mathbf{x}}_i", '"hat x"_i'),
    (r"\bar{x}", '"bar x"'),
    (r"\mathbf{QK}^T", "Q K^T"),
    (r"\text{head}_1", "head_1"),
    (r"\text{MultiHead}(Q,K,V)", "MultiHead(Q, K, V)"),
    (r"\frac{\exp(z_i)}{\sum_{j=1}^{K}\exp(z_j)}", "exp(z_i)/(sum_{j=1}^{K} exp(z_j))"),
    (r"\exp(x)^2", "exp(x)^2"),
    (r"\|q\|\|k\|", "norm(q) norm(k)"),
    ("|a||b|", "abs(a) abs(b)"),
    ("||x||", "norm(x)"),
    ("e^z_j", "e^(z_j)"),
    ("\\begin{bmatrix} 1 & 2 % first\n \\\\ 3 & 4 \\end{bmatrix}", "[[1, 2], [3, 4]]"),
    ("e^{2}+e^{1}", "e^2 + e^1"),
    (r"\frac{e^{0.707}}{e^{0.707}+1}", "e^0.707/(e^0.707 + 1)"),
    (r"-\frac{1}{2}", "-1/2"),
    (r"2\tfrac{5}{2}", "2*5/2"),
    (r"3\frac{1}{\sqrt2}", "3 (1/sqrt(2))"),
    (r"0.5\frac{1}{2}", "0.5*1/2"),
    ("{-}1", "-1"),
    (r"\left(\begin{matrix} 1 \\ 2 \end{matrix}\right)", "[[1], [2]]"),
    (r"\mathbf{X}\mathbf{W}^{Q}", "X W_Q"),
    ("I W_K", "I W_K"),
    (r"x_i^\top W_Q", "x_i^T W_Q"),
    (r"(x_1^\top W_Q)^\top", "(x_1^T W_Q)^T"),
    (r"\sqrt[3]{8}", "root(3, 8)"),
    (r"\left\{ 1, 2 \right\}", "{1, 2}"),
    (r"\mathrm{d}_k", "d_k"),
    (r"d_{\text{model}}", "d_model"),
    (r"d_{\mathrm{model}}", "d_model"),
    (r"\mathbf{1}", "1"),
    (r"\operatorname{softmax}\left(z\right)_i", "softmax(z)_i"),
    (r"\operatorname*{softmax}_j z_j", "softmax(z_j)"),
    (r"\text{softmax}\begin{bmatrix}1 & 2\end{bmatrix}", "softmax([[1, 2]])"),
    (r"\text{softmax}\left(\begin{bmatrix}1 & 2\end{bmatrix}\right)", "softmax([[1, 2]])"),
    (r"\text{softmax}\left(\left[1, 2\right]\right)", "softmax([1, 2])"),
    (r"\text{softmax}[1, 2]", "softmax([1, 2])"),
    (r"\text{softmax}(1, 2)", "softmax(1, 2)"),
    (r"\sigma([1, 2])", "softmax([1, 2])"),
    (r"\sigma^2", "sigma^2"),
    (r"\sigma_{ij}", "sigma_{i j}"),
    (r"1-\sigma(x)", "1 - sigma (x)"),
    (r"\begin{array}{cc} 1 & 2 \\ 3 & 4 \end{array}", "[[1, 2], [3, 4]]"),
    (r"\begin{bmatrix} \frac{1}{2} & -1 \\[1ex] e^{2} & \sqrt{2} \end{bmatrix}", "[[1/2, -1], [e^2, sqrt(2)]]"),
    (r"\begin{smallmatrix} 1 & 2 \end{smallmatrix}", "[[1, 2]]"),
    (r"\left[\begin{smallmatrix} 1 & 2 \end{smallmatrix}\right]", "[[1, 2]]"),
    (r"\begin{bmatrix} 1 &amp; 2 \\ 3 &amp; 4 \end{bmatrix}", "[[1, 2], [3, 4]]"),
    (r"\begin{bmatrix} 1 & 2 \cr 3 & 4 \end{bmatrix}", "[[1, 2], [3, 4]]"),
    (r"\begin{bmatrix} 1 \\ \vdots \\ 3 \end{bmatrix}", "[[1], [...], [3]]"),
    (r"\begin{bmatrix} 1 & \cdots & 3 \\ \vdots & \ddots & \vdots \end{bmatrix}", "[[1, ..., 3], [..., ..., ...]]"),
    (r"\begin{bmatrix} \text{---} x_1 \text{---} \end{bmatrix}", "[[x_1]]"),
    (r"\begin{bmatrix} -1 \\ -2 \end{bmatrix}", "[[-1], [-2]]"),
    (r"\begin{bmatrix} 1 \hfill & 2 \\ 3 & 4 \end{bmatrix}", "[[1, 2], [3, 4]]"),
    (r"\begin{bmatrix} 1 & 2 \\ \hline 3 & 4 \end{bmatrix}", "[[1, 2], [3, 4]]"),
    (r"[0.42,\ 0.16,\ 0.42]", "[0.42, 0.16, 0.42]"),
    (r"\big[0.42 \;\; 0.16 \;\; 0.42\big]", "[0.42, 0.16, 0.42]"),
    (r"[0.42 \quad -0.16 \quad 0.42]", "[0.42, -0.16, 0.42]"),
    (r"[a \quad + \quad b]", "[a + b]"),
    (r"(a \quad b)", "(a, b)"),
    (r"[1\;2\;3]", "[1, 2, 3]"),
    (r"[-\infty \;\; 0]", "[-infinity, 0]"),
    ("[1,2; 3,4]", "[[1, 2], [3, 4]]"),
    (r"\sqrt d_k", "sqrt(d_k)"),
    (r"\begin{bmatrix} - & x & - \end{bmatrix}", "[[x]]"),
    (r"\sigma(\sigma(\sigma(x)))", "sigma (sigma (sigma (x)))"),
    (r"3 \quad", "3"),
    ("...", "..."),
    (r"\infty - \infty", "infinity - infinity"),
    (r"\begin{pmatrix} 0.40 & 0.20 & 0.40 \end{pmatrix}", "[[0.40, 0.20, 0.40]]"),
    (r"0.62 \cdot \tfrac52 + 0.38 \cdot (-1)", "0.62*5/2 + 0.38*(-1)"),
    (r"\left[\begin{array}{rr} 1 & -1 \\ 0 & 2 \end{array}\right]^\top", "[[1, -1], [0, 2]]^T"),
    (r"\frac{1 \cdot 1 + 0 \cdot 2}{\sqrt{2}}", "(1*1 + 0*2)/sqrt(2)"),
    ("X W^Q", "X W_Q"),
    (r"(XW_Q)(XW_K)^\top", "(X W_Q)(X W_K)^T"),
    ("a_{11}v_1 + a_{12}v_2", "a_11 v_1 + a_12 v_2"),
    (r"\alpha_{3,1}", "alpha_{3,1}"),
    (r"\boxed{\begin{bmatrix} 1 & 2 \end{bmatrix}}", "boxed([[1, 2]])"),
    (r"\boxed{1.17}", "boxed(1.17)"),
    ("1.4142^2", "1.4142^2"),
    ("-10^{9}", "-10^9"),
    (r"\frac{0.5}{0.5+0.5}", "0.5/(0.5 + 0.5)"),
    (r"50\% + 50\%", "50e-2 + 50e-2"),
    (r"\mathbf{q}_1 \cdot \mathbf{k}_2", "q_1*k_2"),
    (r"\langle \mathbf{q}_1, \mathbf{k}_2 \rangle", "inner(q_1, k_2)"),
    (r"q^\top k / \sqrt{d_k}", "q^T (k/sqrt(d_k))"),
    ("A V", "A V"),
    (r"\widehat{A} V", '"hat A" V'),
    (r"\textbf{Q}\textbf{K}^\top", "Q K^T"),
    (r"[1\ 2\ 3]", "[1, 2, 3]"),
    ("d''", "\"d''\""),
    (r"\mathbb{R}^{d'' \times n}", "ℝ^{\"d''\"×n}"),
]

PLAIN = [
    ("−0.5", "-0.5"),
    ("4.74%", "4.74e-2"),
    ("6.3379e-02", "6.3379e-2"),
    ("2.5f", "2.5"),
    ("0.333...", "0.333"),
    ("-inf", "-infinity"),
    ("float('-inf')", "-infinity"),
    ("K'", "K^T"),
    ("WQ", "WQ"),
    ("W_Q", "W_Q"),
    ("Wq", "Wq"),
    ("softmax(QK^T / sqrt(d_k))", "softmax(Q (K^T/sqrt(d_k)))"),
    ("Softmax([1, 2, 3])", "softmax([1, 2, 3])"),
    ("e^1.5", "e^1.5"),
    ("e**1.5", "e^1.5"),
    ("np.exp(1.5)", "exp(1.5)"),
    ("math.sqrt(2)", "sqrt(2)"),
    ("sqrt 2", "sqrt(2)"),
    ("√2", "sqrt(2)"),
    ("√(2)", "sqrt(2)"),
    ("[[1, 2], [3, 4]]", "[[1, 2], [3, 4]]"),
    ("[1 2; 3 4]", "[[1, 2], [3, 4]]"),
    ("Float32[1 0; 0 1]", "[[1, 0], [0, 1]]"),
    ("[[1. 0.]\n [0. 1.]]", "[[1, 0], [0, 1]]"),
    ("tensor([[0.1, 0.2],\n        [0.3, 0.4]])", "[[0.1, 0.2], [0.3, 0.4]]"),
    ("torch.tensor([[0.1, 0.2]], dtype=torch.float32)", "[[0.1, 0.2]]"),
    ("array([1., 2.])", "[1, 2]"),
    ("(1, 2, 3)", "(1, 2, 3)"),
    ("⟨1, 2⟩", "(1, 2)"),
    ("[2.03, 4.10, 2.03]/8.16", "[2.03, 4.10, 2.03]/8.16"),
    ("E[q_i k_i]", "𝔼[q_i k_i]"),
    ("d_model", "d_model"),
    ("Q @ K.T / np.sqrt(2)", "Q (K^T/sqrt(2))"),
    ("A V", "A V"),
    ("XW_Q", "X W_Q"),
    ("QK^TV", "Q K^T V"),
    ("QKᵀ", "Q K^T"),
    ("q₁₂ + x²", "q_12 + x^2"),
    ("[[0 -inf]\n [0 0]]", "[[0, -infinity], [0, 0]]"),
    ("[[0 -np.inf]\n [0 float('-inf')]]", "[[0, -infinity], [0, -infinity]]"),
    ("|a||b| + ||v||", "abs(a) abs(b) + norm(v)"),
    ("0.12*5/2 + 0.5*(-1)", "0.12*5/2 + 0.5*(-1)"),
    ("{{1.0f, 2.0f}, {3.5f, 4.0f}}", "[[1.0, 2.0], [3.5, 4.0]]"),
    ("attention map", '"attention map"'),
    ("Attention(Q, K, V)", "Attention(Q, K, V)"),
    ("6.9*10^-3", "6.9e-3"),
    ("1e-5", "1e-5"),
    ("∑_{j=1}^{3} a_j", "sum_{j=1}^{3} a_j"),
    ("Σ_j e^{z_j}", "sum_{j} e^(z_j)"),
    ("sum_j e^z_j", "sum_{j} e^(z_j)"),
    ("Q.T", "Q^T"),
    ("[[[1, 2], [3, 4]]]", "[[1, 2], [3, 4]]"),
    ("12,345.67", "12345.67"),
    ("1,234,567", "1234567"),
    ("0,125", "0.125"),
    ("(1*2) + (-1*1)", "(1*2) + (-1*1)"),
    ("1·2+(−1)·1", "1*2 + (-1)*1"),
    ("√2/2", "sqrt(2)/2"),
    ("e^(3/2)/(e^(3/2)+e^(-5/2)+e^8)", "e^(3/2)/(e^(3/2) + e^(-5/2) + e^8)"),
    ("exp(1.5)/(exp(1.5)+1)", "exp(1.5)/(exp(1.5) + 1)"),
    ("⎡1 2⎤\n⎣3 4⎦", "[[1, 2], [3, 4]]"),
    ("- 0.5", "-0.5"),
    ("1 - 2", "1 - 2"),
    ("W_Q^T x", "W_Q^T x"),
    ("0.24+0.24", "0.24 + 0.24"),
    ("x̂_1", '"hat x"_1'),
    ("2e+01", "2e1"),
    ("softmax([0.71, 0.0, 0.71])", "softmax([0.71, 0.0, 0.71])"),
    ("e^0.71/(e^0.71 + 1 + e^0.71)", "e^0.71/(e^0.71 + 1 + e^0.71)"),
    ("e^-0.5/(1+e^-0.5)", "e^(-0.5)/(1 + e^(-0.5))"),
    ("softmax(S / sqrt(d_k)) V", "softmax(S/sqrt(d_k)) V"),
    ("Q Kᵀ / √dₖ", "Q (K^T/sqrt(d_k))"),
    ("(1)(2) + (3)(4)", "(1)(2) + (3)(4)"),
    ("2 x 3", "2 × 3"),
    ("np.array([[1, 2], [3, 4]]) @ np.array([[1], [0]])", "[[1, 2], [3, 4]] [[1], [0]]"),
    ("tensor([[0.1, 0.2]], grad_fn=<SoftmaxBackward0>)", "[[0.1, 0.2]]"),
    ("tensor([[1.0000e+00, 2.0612e-09]], device='cuda:0')", "[[1.0000e0, 2.0612e-9]]"),
    ("[[ 1.  -0.5]\n [ 0.   2. ]]", "[[1, -0.5], [0, 2]]"),
    ("[1., -1.]", "[1, -1]"),
    ("[ 0.1  0.2 ...  0.3]", "[0.1, 0.2, ..., 0.3]"),
    ("[0.5, 0.5,]", "[0.5, 0.5]"),
    ("[1 -2; 3 4]", "[[1, -2], [3, 4]]"),
    ("50 %", "50e-2"),
    ("10**-3", "10^(-3)"),
    ("Q·Kᵀ", "Q*K^T"),
    ("(0.5, 0.5)^T", "(0.5, 0.5)^T"),
    ("[1,2]ᵀ", "[1, 2]^T"),
    ("O_3 ", "O_3"),
    ("σ(QK^T)", "softmax(Q K^T)"),
    ("⎡1  2⎤\n⎢    ⎥\n⎣3  4⎦", "[[1, 2], [3, 4]]"),
    ("√dₖ", "sqrt(d_k)"),
    ("1.5e−3", "1.5e-3"),
    ("6.9x10^-13", "6.9e-13"),
    ("q_1k_1 + q_2k_2", "q_1 k_1 + q_2 k_2"),
    ("A_3j", "A_{3 j}"),
    ("(0,42; 0,16; 0,42)", "(0.42, 0.16, 0.42)"),
    ("0.62 * 5/2 + 0.38 * -1", "0.62*5/2 + 0.38*-1"),
    ("[0.4, 0.2, 0.4] @ [[1, 2], [3, 4], [5, 6]]", "[0.4, 0.2, 0.4] [[1, 2], [3, 4], [5, 6]]"),
    ("(X W_Q)(X W_K)^T", "(X W_Q)(X W_K)^T"),
    ("a_11 v_1 + a_12 v_2", "a_11 v_1 + a_12 v_2"),
    ("e^1.5 + e^-2.5 + e^8", "e^1.5 + e^(-2.5) + e^8"),
    ("exp(-inf)", "exp(-infinity)"),
    ("-1e9", "-1e9"),
    ("q.T @ k", "q^T k"),
    ("𝑄𝐾ᵀ", "Q K^T"),
    ("softmax(𝛽 𝑥)", "softmax(beta x)"),
]

AMBIGUOUS = [
    ("latex", "1{,}000", "1000", ["1.000"]),
    ("plain", "1,000", "1000", ["1.000"]),
    ("latex", r"2\frac12", "(2 + 1/2)", ["2*1/2"]),
    ("plain", "2 1/2", "(2 + 1/2)", ["2*1/2"]),
    ("plain", "1 1/4", "(1 + 1/4)", ["1*1/4"]),
    ("latex", "2^10", "2^10", ["2^1 0"]),
    ("latex", "x_11", "x_11", ["x_1 1"]),
    ("latex", "Q_11", "Q_11", ["Q_1 1"]),
    ("latex", "1/2x", "(1/2) x", ["1/(2 x)"]),
    ("latex", "QK_{11}", "(Q K)_11", ["Q K_11"]),
    ("latex", "QK^T_{31}", "(Q K^T)_31", ["Q K_31^T"]),
    ("latex", "e^1.5", "e^1.5", ["e^1 .5"]),
    ("latex", r"\sqrt 10", "sqrt(10)", ["sqrt(1) 0"]),
    ("latex", "x^10", "x^10", ["x^1 0"]),
    ("plain", "2½", "(2 + 1/2)", ["2*1/2"]),
    ("latex", r"1/2 \times 10^{3}", "1/2e3", ["(1/2) × 10^3"]),
    (
        "plain",
        "[QK_11, QK_12; QK_21, QK_22]",
        "[[(Q K)_11, (Q K)_12], [(Q K)_21, (Q K)_22]]",
        ["[[Q K_11, Q K_12], [Q K_21, Q K_22]]"],
    ),
    ("latex", "2QK_{11}", "2 (Q K)_11", ["2 Q K_11"]),
    ("latex", r"\frac{1}{\sqrt2}QK_{11}", "(1/sqrt(2))(Q K)_11", ["(1/sqrt(2)) Q K_11"]),
]

REFUSED = [
    ("latex", r"1 \pm 2", "A plus-minus sign stands for two values: write each separately.", 2),
    (
        "latex",
        r"\begin{bmatrix} 1 & 2 \\ 3 \end{bmatrix}",
        "Row 2 of this matrix has 1 entry and row 1 has 2",
        25,
    ),
    (
        "latex",
        r"\begin{bmatrix} \begin{bmatrix} 1 & 2 \end{bmatrix} \\ \begin{bmatrix} 1 & 2 \end{bmatrix} \end{bmatrix}",
        "A matrix stands inside a matrix",
        16,
    ),
    (
        "latex",
        r"\boxed{a = 2}",
        "A relation inside an expression is not read",
        9,
    ),
    ("latex", r"\sum_{k \in K} x_k", "A sum over a set or a condition is not read: write its bounds.", 8),
    (
        "latex",
        r"1.41\;\;0.71",
        "two numbers stand side by side",
        8,
    ),
    *[
        ("plain", text, "two numbers stand side by side", at)
        for text, at in (("2 2/√3", 2), ("(1, 1) 3", 7), ("1/2 1/2", 4), ("3  1/2", 3), ("3   √2", 4), ("(1·2)   4", 8))
    ],
    ("latex", r"(1, 1) \quad 3", "two numbers stand side by side", 13),
    ("latex", r"\begin{bmatrix} 1 & & 2 \end{bmatrix}", "An entry of this matrix is empty: write it.", 20),
    ("latex", r"\begin{bmatrix}1&2\\3&4", r"\begin{bmatrix} is not closed: write \end{bmatrix}.", 0),
    ("plain", "[[[1, 2], [3, 4]], [[1, 2], [3, 4]]]", "A list of matrices is not read: write one matrix at a time.", 0),
    ("plain", "[[1, 2], [3]]", "Row 2 of this matrix has 1 entry and row 1 has 2", 9),
    (
        "plain",
        "1 2",
        "two numbers stand side by side",
        2,
    ),
    ("latex", "3 +", "Found the end of the formula", 3),
    ("latex", r"\unknown{x}", r"The command \unknown is not known.", 0),
    ("latex", "1 = 2", "A relation inside an expression is not read", 2),
    ("latex", r"\begin{bmatrix} -1 & 2- \end{bmatrix}", "An entry of this matrix is empty: write it.", 24),
    ("latex", "{,}5", "Found a comma {,} where a number, a name or a bracket was expected.", 0),
    ("latex", r"\left(\frac{1}{2}", "Found the end of the formula where ) was expected to close the ( before it.", 17),
    ("latex", ")", "Found a closing bracket ) where a number, a name or a bracket was expected.", 0),
    ("latex", "x_", "Found the end of the formula", 2),
    ("latex", "x^", "Found the end of the formula", 2),
    ("latex", "x_{}", "Found a closing brace }", 3),
    ("latex", "e^{} + 2", "Found a closing brace }", 3),
    ("latex", r"\frac{}{}", "Found the end of the formula", 9),
    ("latex", r"\frac{1}", "Found the end of the formula", 8),
    ("latex", r"\begin{bmatrix}\end{bmatrix}", "This matrix has no entries.", 0),
    ("plain", "[]", "Found a closing bracket ] where a number, a name or a bracket was expected.", 1),
    ("plain", "()", "Found a closing bracket ) where a number, a name or a bracket was expected.", 1),
    ("latex", r"\text{}", "There is nothing here: write an expression.", 0),
    ("latex", r"\mathbf", "Found the end of the formula", 7),
    ("latex", "_1", "Found an index mark _ where a number, a name or a bracket was expected.", 0),
    ("latex", "^T", "Found an exponent mark ^ where a number, a name or a bracket was expected.", 0),
    ("latex", "'", "Found a prime ' where a number, a name or a bracket was expected.", 0),
    ("latex", "1..2", "Found a point . where an operator or the end of the formula was expected.", 1),
    ("plain", "..", "Found a point . where a number, a name or a bracket was expected.", 0),
    ("latex", "5!", "The character '!' has no meaning in a formula here.", 1),
    ("latex", r"\{x_i\}_{i=1}^n", "A family over an index is not read", 10),
    ("latex", r"\genfrac{1}{2}", r"The command \genfrac is not known.", 0),
    ("latex", r"\begin{cases} 1 & 2 \end{cases}", "The environment cases is not known.", 7),
    (
        "latex",
        r"\sqrt{2} \approx",
        "A relation inside an expression is not read",
        9,
    ),
]


def _read(text: str, notation: Notation) -> Side:
    return read_side(text, 0, len(text), notation)


def _plain(node: t.Node | None) -> str:
    assert node is not None
    return write_plain(node, SIDE_FUNCTIONS)


@pytest.mark.parametrize(("text", "plain"), LATEX)
def test_latex_is_read(text: str, plain: str) -> None:
    side = _read(text, "latex")
    assert (_plain(side.node), side.others, side.reason) == (plain, (), "")


@pytest.mark.parametrize(("text", "plain"), PLAIN)
def test_plain_text_is_read(text: str, plain: str) -> None:
    side = _read(text, "plain")
    assert (_plain(side.node), side.others, side.reason) == (plain, (), "")


@pytest.mark.parametrize(("notation", "text", "first", "others"), AMBIGUOUS)
def test_both_readings_are_given(notation: Notation, text: str, first: str, others: list[str]) -> None:
    side = _read(text, notation)
    assert _plain(side.node) == first
    assert [_plain(other) for other in side.others] == others
    assert side.reason.endswith(".")
    assert 0 <= side.at < len(text)


@pytest.mark.parametrize(("notation", "text", "reason", "at"), REFUSED)
def test_what_cannot_be_read_is_refused_with_its_place(notation: Notation, text: str, reason: str, at: int) -> None:
    side = _read(text, notation)
    assert (side.node, side.others) == (None, ())
    assert reason in side.reason
    assert side.at == at


@pytest.mark.parametrize(
    ("text", "node"),
    [
        (r"QK^T", b.beside("Q", b.top("K"))),
        (r"QK_{11}", b.sub(b.group(b.beside("Q", "K")), 11)),
        (r"W_1^Q", b.sub("W", 1, "Q")),
        (r"\mathbf{W}^{(1)}_{Q}", b.sub("W", "Q", 1)),
        (r"2\frac12", b.group(b.plus(2, b.over(1, 2)))),
        (r"\hat{S}_{11}", b.sub("hat S", 11)),
        (r"\sigma(QK^\top)", b.call("softmax", b.beside("Q", b.top("K")))),
        (r"\frac{2.03,\ 4.10}{8.16}", b.over(b.tuple_of("2.03", "4.10"), "8.16")),
        (r"\sum_j^n v_j", t.SumOver(b.v("j"), b.n(1), b.v("n"), b.sub("v", "j"))),
        (r"\sum_j v_j", t.SumOver(b.v("j"), None, None, b.sub("v", "j"))),
        (r"\mathbb{R}^{3\times 2}", t.Space((b.n(3), b.n(2)))),
        (r"\boxed{-2}", t.Boxed(b.neg(2))),
        (r"[0.21]", b.row("0.21")),
        (r"-\infty", b.neg(b.v("infinity"))),
        (r"1.2e-3", t.Number("1.2e-3")),
        (r"3(2)", b.beside(3, b.group(2))),
        (r"a - {b + c}", b.minus("a", b.group(b.plus("b", "c")))),
        (r"\begin{bmatrix} -x_1^T- \\ -y^T- \end{bmatrix}", b.matrix((b.top(b.sub("x", 1)),), (b.top("y"),))),
    ],
)  # fmt: skip
def test_the_tree_is_the_one_that_is_meant(text: str, node: t.Node) -> None:
    assert _read(text, "latex").node == node


@pytest.mark.parametrize(
    ("text", "value", "ulp"),
    [
        ("0.60", Fraction(3, 5), Fraction(1, 100)),
        (r"6.90 \times 10^{-13}", Fraction(69, 10**14), Fraction(1, 10**15)),
        (r"37\%", Fraction(37, 100), Fraction(1, 100)),
        (r"4.74\%", Fraction(474, 10000), Fraction(1, 10000)),
        ("3", Fraction(3), Fraction(1)),
        ("0{,}5", Fraction(1, 2), Fraction(1, 10)),
        ("6.3379e-02", Fraction(63379, 10**6), Fraction(1, 10**6)),
        ("0.", Fraction(0), Fraction(1)),
        (".5", Fraction(1, 2), Fraction(1, 10)),
        (r"1\,000", Fraction(1000), Fraction(1)),
        (r"1.41421356\ldots", Fraction(141421356, 10**8), Fraction(1, 10**8)),
    ],
)
def test_a_number_keeps_the_precision_that_was_written(text: str, value: Fraction, ulp: Fraction) -> None:
    node = _read(text, "latex").node
    assert isinstance(node, t.Number)
    assert (node.value, node.ulp) == (value, ulp)


@pytest.mark.parametrize(
    ("notation", "text"), [("latex", REFUSED[1][1]), ("plain", "[[1, 2], [3]]"), ("plain", "[1 2; 3]")]
)
def test_a_ragged_matrix_says_so(notation: Notation, text: str) -> None:
    side = _read(text, notation)
    assert side.code == "ragged"
    assert "Row 2" in side.reason
    assert "row 1" in side.reason


def test_places_are_those_of_the_whole_text() -> None:
    text = "so $Q_{31} = 2\\frac12$ and $a = \\oops$."
    start = text.index("2\\frac")
    side = read_side(text, start, start + 8, "latex")
    assert side.span == (start, start + 8)
    assert side.node is not None
    assert side.node.span == (start, start + 8)
    assert side.at == start
    at = text.index("\\oops")
    assert read_side(text, at, at + 5, "latex").at == at
    assert read_side(text, at - 2, at + 5, "latex").at == at
    assert read_side("x + [1, 2", 0, 9, "plain").at == 9


def test_an_accent_or_a_label_keeps_names_apart() -> None:
    names = [_read(text, "latex").node for text in (r"S", r"\hat S", r"\tilde S", r"\bar S", r"\mathbf{S}")]
    assert len(set(names)) == 4
    assert names[0] == names[4]


@pytest.mark.parametrize("text", ["W^Q", "W_Q", "W^{Q}", r"W_{\mathbf{Q}}", r"\mathbf{W}^{Q}", "W^{(Q)}"])
def test_one_matrix_has_many_spellings(text: str) -> None:
    assert _read(text, "latex").node == b.sub("W", "Q")


@pytest.mark.parametrize(
    "text", ["K^T", r"K^\top", r"K^{\top}", "K'", "K^{T}", r"K^\intercal", "K^t", r"K^{\prime}", r"K^{\mathrm{T}}"]
)
def test_one_transpose_has_many_spellings(text: str) -> None:
    assert _read(text, "latex").node == b.top("K")


@pytest.mark.parametrize("word", ["softmax", "Softmax", "SoftMax"])
def test_the_spelling_of_a_function_does_not_matter(word: str) -> None:
    assert _read(f"{word}(S)", "plain").node == b.call("softmax", "S")
    assert _read(rf"\text{{{word}}}(S)", "latex").node == b.call("softmax", "S")
    assert _read(rf"\operatorname{{{word}}}_{{row}}\left(S\right)", "latex").node == b.call("softmax", "S")


@pytest.mark.parametrize("accent", ["\u0302", "\u0303", "\u0304", "\u0305", "\u20d7"])
@pytest.mark.parametrize("before", ["1", "1.5", "(1)", "[1, 2]", "+", "=", "", "x_1", r"\cdot", "e^", "∑", "⊤"])
@pytest.mark.parametrize("notation", ["latex", "plain"])
def test_an_accent_behind_what_is_no_letter_says_nothing(notation: Notation, before: str, accent: str) -> None:
    """It is a name's alone; whatever it stands behind, the side is read or refused."""
    text = f"{before}{accent} + 2"
    side = read_side(text, 0, len(text), notation)
    numbers = [] if side.node is None else [node.text for node in walk(side.node) if isinstance(node, t.Number)]
    assert all(number.replace(".", "").isdigit() for number in numbers)
