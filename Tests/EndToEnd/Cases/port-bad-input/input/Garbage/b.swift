#if (((
#elseif
"""
\((((