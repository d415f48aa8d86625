import { errorMessage } from '#domain/error-message.ts'
import type { ToolFile } from '#policy/policy.ts'
import { openToolProcess, type ToolProcess } from './tool-process.ts'
import type { LoadedTools } from './tool-protocol.ts'

/**
 * The custom tools of a project folder, for `check`: every tool, and every file that fails to load
 * with file, line and reason. `toolFiles` is what a version would record now of the modules of
 * tools. Runs the project's code, in a process of its own that is ended afterwards.
 */
export async function loadToolDescriptions(options: {
  readonly projectDir: string
  readonly toolFiles: readonly ToolFile[]
  readonly environment: Readonly<Record<string, string | undefined>>
}): Promise<LoadedTools> {
  await using toolProcess = await openToolProcess(options)
  return await describeTools(toolProcess)
}

/** The same of an open version; a process that ends while it loads the files is a problem of it. */
export async function describeTools(toolProcess: ToolProcess): Promise<LoadedTools> {
  try {
    return await toolProcess.describe()
  } catch (error) {
    const problem = errorMessage(error)
    return { tools: [], problems: [{ file: 'tools/', line: null, problem, changed: false }] }
  }
}
