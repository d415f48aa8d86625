import { isCancel, text } from '@clack/prompts'

/**
 * Asks the person at the terminal for a reason. `why`: why it is needed; `null`: it is not. `null`
 * when they cancel.
 */
export async function promptReason(why: string | null): Promise<string | null> {
  const reason = await text({
    message: why === null ? 'Reason (Enter for none)' : `Reason (${why})`,
    validate: (value) => (why !== null && !value?.trim() ? 'A reason is required' : undefined),
  })
  return isCancel(reason) ? null : (reason ?? '')
}
