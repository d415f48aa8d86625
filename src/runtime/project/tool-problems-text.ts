import type { ToolFileProblem } from '#tools/custom/tool-protocol.ts'

/**
 * What of the version in force does not load, and what that means; `null`: everything loads. A file
 * that was changed since is left out: it belongs to the next version. Pure.
 */
export function toolProblemsText(problems: readonly ToolFileProblem[]): string | null {
  const lasting = problems.filter(({ changed }) => !changed)
  if (lasting.length === 0) return null
  const what =
    lasting.length === 1
      ? '1 tool file of the version in force does not load: calls of its tools are refused until it is corrected'
      : `${lasting.length} tool files of the version in force do not load: calls of their tools are refused until they are corrected`
  const lines = lasting.map(({ file, line, problem }) => {
    const at = line === null ? file : `${file}:${line}`
    return `${at}: ${problem}`
  })
  return [what, ...lines].join('\n')
}
