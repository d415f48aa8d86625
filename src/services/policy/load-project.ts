import { parseProject, type ParsedProject } from '../../policy/project/parse-project.ts'
import { readProject } from './read-project.ts'

/** Reads and parses a project folder: what `check` shows, and what an activation begins with. */
export async function loadProject(projectDir: string): Promise<ParsedProject> {
  const read = await readProject(projectDir)
  return 'problems' in read ? read : parseProject(read.files)
}
