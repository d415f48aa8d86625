import { programNamed } from '../programs/registry.ts'
import type { Program } from '../programs/program.ts'
import { programName } from '../spelling/spelling.ts'
import type { KnownPart, KnownWord } from '../strict/expand-word.ts'

/**
 * Some programs (`git`) are judged by the settings in their folder. Returns the first command of
 * such a program, as printed, before which another command of the script may put other settings
 * there (`mv evil .git && git status`); `null`: there is none.
 */
export function runsAfterPlacing(parts: readonly KnownPart[]): string | null {
  let mayBePlaced = false
  for (const pipeline of pipelinesOf(parts)) {
    // Commands of one pipeline run at the same time.
    mayBePlaced ||= pipeline.some((words) =>
      usesProgram(words, ({ placesFiles }) => placesFiles === true),
    )
    const reader = pipeline.find((words) =>
      usesProgram(words, ({ folderRuns }) => folderRuns !== undefined),
    )
    if (mayBePlaced && reader !== undefined) return reader.map(({ printed }) => printed).join(' ')
  }
  return null
}

type Words = readonly KnownWord[]

/** The commands of a script by their words, those of one pipeline together. */
function pipelinesOf(parts: readonly KnownPart[]): readonly (readonly Words[])[] {
  const pipelines: Words[][] = [[]]
  for (const part of parts) {
    if (part.kind === 'command') pipelines.at(-1)?.push(part.words)
    else if (part.text.trim() !== '|') pipelines.push([])
  }
  return pipelines
}

/** Behind a wrapper every word may be the name of the program. */
function usesProgram(words: Words, matches: (program: Program) => boolean): boolean {
  const programs = words.map(({ text }) => programNamed(programName(text)))
  const isWrapped = programs[0]?.runs === 'command'
  const names = programs.slice(0, isWrapped ? undefined : 1)
  return names.some((program) => program !== undefined && matches(program))
}
