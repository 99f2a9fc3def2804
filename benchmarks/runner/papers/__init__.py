"""--papers: the tables and figures of two papers, redrawn with what this machine measures. ../../papers/README.md"""
