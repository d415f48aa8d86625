import { runInThread } from '../threads/run-in-thread.ts'
import { countLines } from './make-presentation.ts'
import { unifiedDiff, wholeDiff, type UnifiedDiff } from './unified-diff.ts'

/** After this time the diff removes one side completely and adds the other (security.md 35). */
const differenceLimitMs = 10_000
/** Below this many lines together even completely different texts are fast without a thread. */
const inlineLines = 600

/** The unified diff of two texts of any size. Large ones run in a thread. */
export async function difference(
  names: { readonly before: string | null; readonly after: string | null },
  before: string,
  after: string,
  signal: AbortSignal | null,
): Promise<UnifiedDiff> {
  if (countLines(before) + countLines(after) <= inlineLines)
    return unifiedDiff(names, before, after)
  const script = new URL('diff-thread.ts', import.meta.url)
  const options = { limitMs: differenceLimitMs, signal }
  const outcome = await runInThread<UnifiedDiff>(script, { names, before, after }, options).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return { done: false } as const
      throw error
    },
  )
  return outcome.done ? outcome.value : wholeDiff(names, before, after)
}
