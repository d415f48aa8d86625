import { runInThread } from '../threads/run-in-thread.ts'
import { countLines } from './make-presentation.ts'
import { unifiedDiff, type UnifiedDiff } from './unified-diff.ts'

/** How long a difference may take before the whole contents are shown instead (architecture.md, execution). */
export const differenceLimitMs = 500
/** Below this many lines together even two wholly unlike texts take no time worth a thread. */
const inlineLines = 600

/** The unified diff of two texts, or `null` when it took too long. Large ones run in a thread. */
export async function difference(
  names: { readonly before: string | null; readonly after: string | null },
  before: string,
  after: string,
  signal: AbortSignal | null,
): Promise<UnifiedDiff | null> {
  if (countLines(before) + countLines(after) <= inlineLines)
    return unifiedDiff(names, before, after)
  const script = new URL('diff-thread.ts', import.meta.url)
  const outcome = await runInThread<UnifiedDiff>(
    script,
    { names, before, after },
    { limitMs: differenceLimitMs, signal },
  )
  return outcome.done ? outcome.value : null
}
