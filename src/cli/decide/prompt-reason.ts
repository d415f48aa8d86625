import type { Readable } from 'node:stream'
import { isCancel, text } from '@clack/prompts'

/**
 * Asks the person at the terminal for a reason. `why` says why it is required; `null`: it is
 * optional. Returns `null` if they cancel.
 */
export async function promptReason(why: string | null, input: Readable): Promise<string | null> {
  const reason = await text({
    input,
    message: why === null ? 'Reason (Enter for none)' : `Reason (${why})`,
    validate: (value) => (why !== null && !value?.trim() ? 'A reason is required' : undefined),
  })
  return isCancel(reason) ? null : (reason ?? '')
}
