import picomatch from 'picomatch'
import { z } from 'zod'

const longest = 256

/** An optional glob over paths relative to the searched folder; one without `/` is matched against names. */
export const globField = z
  .string()
  .min(1)
  .max(longest)
  .refine((glob) => !/[\p{Cc}]/u.test(glob), { message: 'The glob has a control character.' })
  .optional()
  .describe('Only paths that match, such as *.md or docs/**/*.ts.')

/** Whether a path, relative to the searched folder, matches. Without a glob everything does. */
export function globMatcher(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true
  return picomatch(glob, { dot: true, basename: !glob.includes('/'), noextglob: true })
}
