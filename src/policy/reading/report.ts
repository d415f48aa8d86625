import type { ProjectProblem } from '../policy.ts'

/** A place in a project file. `line` counts from 1. */
export interface Place {
  readonly file: string
  readonly line: number | null
}

/** Collects everything that is wrong, so that a person mends a folder in one go. */
export class Report {
  readonly #problems: ProjectProblem[] = []

  /** A problem that makes the version invalid: what is wrong, and what would be right. */
  error(place: Place, problem: string, remedy: string): void {
    this.#add({ ...place, problem, remedy, severity: 'error' })
  }

  /** Something odd that leaves the version valid. */
  warn(place: Place, problem: string, remedy: string): void {
    this.#add({ ...place, problem, remedy, severity: 'warning' })
  }

  /** A value that is read twice is reported once. */
  #add(found: ProjectProblem): void {
    const known = this.#problems.some(
      (one) => one.file === found.file && one.line === found.line && one.problem === found.problem,
    )
    if (!known) this.#problems.push(found)
  }

  get hasErrors(): boolean {
    return this.#problems.some((problem) => problem.severity === 'error')
  }

  /** In the order of files and lines. */
  all(): readonly ProjectProblem[] {
    return this.#problems.toSorted(
      (a, b) => compareText(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0),
    )
  }
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** A place as it is written in rules and messages: `workers/notes.md:14`. */
export function sourceOf(place: Place): string {
  return place.line === null ? place.file : `${place.file}:${place.line}`
}

/** The place that a rule's source names. */
export function placeOfSource(source: string): Place {
  const colon = source.lastIndexOf(':')
  return { file: source.slice(0, colon), line: Number(source.slice(colon + 1)) }
}
