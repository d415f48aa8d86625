/**
 * The search path of commands, in this order, whatever the service's own environment (security.md
 * 3).
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
 * The whole environment of a command, built for each call, without the service's own (security.md
 * 3).
 */
export const commandEnvironment: Readonly<Record<string, string>> = {
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  PATH: fixedPath.join(':'),
  TMPDIR: '/tmp',
}
