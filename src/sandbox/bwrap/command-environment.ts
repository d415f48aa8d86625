/**
 * Where commands are looked up, in this order, whatever the service's own environment says
 * (security.md 3).
 */
export const fixedPath = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
] as const

/**
 * All that a command finds in its environment, built for each call; nothing of the service's own
 * (security.md 3).
 */
export const commandEnvironment: Readonly<Record<string, string>> = {
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  PATH: fixedPath.join(':'),
  TMPDIR: '/tmp',
}
