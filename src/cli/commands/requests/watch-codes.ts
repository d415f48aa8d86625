/** What the exit code of a watched run says (api.md, command line). */
export const watchCodes =
  'Exit codes: 0 completed, 1 failed, 3 waits for somebody else, 4 a call was denied'
