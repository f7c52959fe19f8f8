"""Whole courses: rosters, variants of a problem, a graded class, exports to other systems, practice pages.

The package joins what `symattn.api` offers for one problem and one submission to what a course needs for many. It may
import `symattn.api` and all that stands before it, `symbolic` and `cli` apart; only `cli` imports it. Start reading at
`roster`, whose `Student` and `Variant` the folders share: `variants` (a sheet for each student), `site` (the practice
page), `grading` (a folder of works), `exports` (files for other systems). No folder imports another.
"""
