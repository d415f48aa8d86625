import { codeRunners } from './code-runners.ts'
import { commandRunners } from './command-runners.ts'
import { filePrograms } from './file-programs.ts'
import { gitProgram } from './git.ts'
import { kubectlProgram } from './kubectl.ts'
import { optionRunners, subcommandRunners } from './option-runners.ts'
import { programNames } from './program-names.ts'
import type { Program } from './program.ts'
import { systemPrograms } from './system-programs.ts'
import { textPrograms } from './text-programs.ts'

const programs: readonly Program[] = [
  ...textPrograms,
  ...filePrograms,
  ...systemPrograms,
  ...commandRunners,
  ...optionRunners,
  ...subcommandRunners,
  ...codeRunners,
  gitProgram,
  kubectlProgram,
]

const byName: ReadonlyMap<string, Program> = new Map(
  programs.flatMap((program) => program.names.map((name) => [name.toLowerCase(), program])),
)

/** The entry of exactly this name. */
export function exactProgram(name: string): Program | undefined {
  return byName.get(name.toLowerCase())
}

/** A program's entry by its name without a path, if necessary without version and suffix. */
export function programNamed(name: string): Program | undefined {
  for (const candidate of programNames(name.toLowerCase())) {
    const program = byName.get(candidate)
    if (program !== undefined) return program
  }
  return undefined
}
