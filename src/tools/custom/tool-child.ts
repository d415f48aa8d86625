import { startChild, type QueryChild } from './query-child.ts'
import type { ToolAnswers, ToolQuery } from './tool-protocol.ts'

/** One tool process. */
export type ToolChild = QueryChild<ToolQuery, ToolAnswers>

/** Starts a tool process of a project. */
export function startToolChild(
  projectDir: string,
  environment: Readonly<Record<string, string>>,
  maxAnswerBytes: number,
): ToolChild {
  return startChild<ToolQuery, ToolAnswers>({
    main: new URL('process/main.ts', import.meta.url),
    preload: new URL('process/module-hooks.ts', import.meta.url),
    cwd: projectDir,
    environment,
    maxAnswerBytes,
  })
}
