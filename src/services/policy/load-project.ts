import type { ToolFile } from '../../policy/policy.ts'
import { parseProject, type ParsedProject } from '../../policy/project/parse-project.ts'
import { readReadable } from './read-project.ts'

/** Reads and parses a project folder: what `check` shows, every problem of every file at once. */
export async function loadProject(projectDir: string): Promise<ParsedProject> {
  return (await inspectProject(projectDir)).parsed
}

/** As `loadProject`, with the tool files, which are there whatever is wrong with the others. */
export async function inspectProject(
  projectDir: string,
): Promise<{ readonly parsed: ParsedProject; readonly toolFiles: readonly ToolFile[] }> {
  const { files, problems } = await readReadable(projectDir)
  const parsed = parseProject(files)
  const { toolFiles } = files
  if (problems.length === 0) return { parsed, toolFiles }
  // A file that is there and cannot be read is no file that is missing.
  const unreadable = new Set(problems.map((problem) => problem.file))
  const others = 'problems' in parsed ? parsed.problems : parsed.warnings
  const told = others.filter(({ file, line }) => line !== null || !unreadable.has(file))
  return { parsed: { problems: [...problems, ...told] }, toolFiles }
}
