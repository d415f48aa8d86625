import { fixedPath } from './fixed-path.ts'

/** All that a command finds in its environment, built for each call; nothing of the service's own (security.md 3). */
export const commandEnvironment: Readonly<Record<string, string>> = {
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  PATH: fixedPath.join(':'),
  TMPDIR: '/tmp',
}
