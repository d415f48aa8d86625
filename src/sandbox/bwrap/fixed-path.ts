/** Where commands are looked up, in this order, whatever the service's own environment says (security.md 3). */
export const fixedPath = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
] as const
