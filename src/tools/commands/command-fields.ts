import { z } from 'zod'
import type { Zone } from '../../policy/policy.ts'
import { containsPath } from '../../policy/judge/consent/zones-of-path.ts'
import { folderPath } from '../files/path-field.ts'

/** Bounds of a command's input (security.md 24). */
export const commandBounds = {
  scriptBytes: 8 * 1024,
  arguments: 256,
  argumentBytes: 64 * 1024,
  timeoutSeconds: 120,
  timeoutMostSeconds: 3600,
} as const

/** Where a command runs unless it says so: the workspace root when a zone contains it, else the first zone. */
function usualFolder(zones: readonly Zone[]): string {
  const holdsRoot = zones.some((zone) => containsPath(zone.root, ''))
  return holdsRoot ? '' : (zones[0]?.root ?? '')
}

/** The fields that both command tools have. */
export function commandFields(zones: readonly Zone[]) {
  const most = commandBounds.timeoutMostSeconds
  return {
    cwd: folderPath('Folder to run in, relative to the workspace root.').default(
      usualFolder(zones),
    ),
    timeoutSeconds: z
      .int(`The timeout is a whole number of seconds from 1 to ${most}.`)
      .min(1, `The timeout is at least 1 second.`)
      .max(most, `The timeout is at most ${most} seconds.`)
      .default(commandBounds.timeoutSeconds)
      .describe('How long it may run, in seconds.'),
  }
}
