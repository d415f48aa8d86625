import type { ToolFile } from '#policy/policy.ts'
import { runInThread } from '../../threads/run-in-thread.ts'

const limitMs = 120_000

/**
 * As `recordModules`, off the event loop. `toolFiles` are relative paths of the files below tools/;
 * without any nothing is recorded. Rejects with a sentence when a package cannot be read, or is too
 * large.
 */
export async function readModules(
  projectDir: string,
  toolFiles: readonly string[],
): Promise<readonly ToolFile[]> {
  if (toolFiles.length === 0) return []
  const script = new URL('record-thread.ts', import.meta.url)
  const outcome = await runInThread<{ modules: ToolFile[] } | { problem: string }>(
    script,
    { projectDir, toolFiles: [...toolFiles] },
    { limitMs, signal: null },
  )
  if (!outcome.done) throw new Error(`reading packages took longer than ${limitMs / 1000} s`)
  if ('problem' in outcome.value) throw new Error(outcome.value.problem)
  return outcome.value.modules
}
