import type { RunMode } from '#domain/policy/verdict.ts'

/** The mode of a run as people read it. */
export const modeWords: Readonly<Record<RunMode, string>> = {
  prompt: 'Prompt',
  strict: 'Strict',
  approve_all: 'Approve all',
}
