import type { OutcomeState } from './request.ts'

/** What a call is reported to: a client. */
interface Reporter {
  report(id: string, outcome: Outcome): Promise<void>
}

interface Outcome {
  readonly state: OutcomeState
  readonly summary?: string
}

/**
 * Makes a call whose permit was taken, and reports what became of it. Whatever `execute` returns or
 * throws comes back; `isFailure` says which results are failures. Nothing depends on the report:
 * one that cannot be sent leaves the request started.
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
    const summary = error instanceof Error ? error.message : String(error)
    await report({ state: 'failed', summary })
    throw error
  }
}
