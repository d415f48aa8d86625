import { messageOf } from './errors.ts'
import type { OutcomeState } from './request.ts'

/** A client, as far as `perform` uses it. */
interface Reporter {
  report(id: string, outcome: Outcome): Promise<void>
}

interface Outcome {
  readonly state: OutcomeState
  readonly summary?: string
}

/**
 * Makes a call whose permit was taken, and reports its outcome. Returns or throws what `execute`
 * does; `isFailure` says which results count as failures. An error of the report is ignored: the
 * request then remains without an outcome.
 */
export async function perform<Result>(
  client: Reporter,
  requestId: string,
  execute: () => Promise<Result> | Result,
  isFailure: (result: Result) => boolean = () => false,
): Promise<Result> {
  const report = (outcome: Outcome) => client.report(requestId, outcome).catch(() => undefined)
  try {
    const result = await execute()
    await report({ state: isFailure(result) ? 'failed' : 'succeeded' })
    return result
  } catch (error) {
    await report({ state: 'failed', summary: messageOf(error) })
    throw error
  }
}
