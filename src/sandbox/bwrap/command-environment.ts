/** The search path of commands, whatever the service's environment (security.md 3). */
export const fixedPath = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
] as const

/** A command's whole environment, without the service's own (security.md 3). */
export const commandEnvironment: Readonly<Record<string, string>> = {
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  PATH: fixedPath.join(':'),
  TMPDIR: '/tmp',
}
