import type { ProjectProblem } from '../policy.ts'

/** A place in a project file. `line` counts from 1. */
export interface SourceLine {
  readonly file: string
  readonly line: number | null
}

/** The most problems that are shown at once. */
const maxShown = 1000

/** Collects everything that is wrong, so that a person can correct a folder at once. */
export class Report {
  readonly #problems = new Map<string, ProjectProblem>()

  /** A problem that makes the version invalid: what is wrong, and what would be right. */
  error(place: SourceLine, problem: string, remedy: string): void {
    this.#add({ ...place, problem, remedy, severity: 'error' })
  }

  /** A warning: the version stays valid. */
  warn(place: SourceLine, problem: string, remedy: string): void {
    this.#add({ ...place, problem, remedy, severity: 'warning' })
  }

  /** A value that is read twice is reported once. */
  #add(entry: ProjectProblem): void {
    const key = JSON.stringify([entry.file, entry.line, entry.problem])
    if (!this.#problems.has(key)) this.#problems.set(key, entry)
  }

  get hasErrors(): boolean {
    return [...this.#problems.values()].some((problem) => problem.severity === 'error')
  }

  hasErrorsIn(file: string): boolean {
    return [...this.#problems.values()].some((one) => one.file === file && one.severity === 'error')
  }

  /** In the order of files and lines; the first thousand, and how many more there are. */
  all(): readonly ProjectProblem[] {
    const all = [...this.#problems.values()].toSorted(compareProblems)
    const last = all[maxShown]
    if (last === undefined) return all
    const problem = `${all.length - maxShown} more problems are not shown`
    const severity = this.hasErrors ? 'error' : 'warning'
    return [
      ...all.slice(0, maxShown),
      { file: last.file, line: last.line, problem, remedy: 'correct those above first', severity },
    ]
  }
}

/** In the order of files and lines. */
export function compareProblems(a: ProjectProblem, b: ProjectProblem): number {
  return compareText(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0)
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** A place as it is written in rules and messages: `workers/notes.md:14`. */
export function sourceOf(place: SourceLine): string {
  return place.line === null ? place.file : `${place.file}:${place.line}`
}

/** The place that a rule's source names. */
export function placeOfSource(source: string): SourceLine {
  const colon = source.lastIndexOf(':')
  return { file: source.slice(0, colon), line: Number(source.slice(colon + 1)) }
}
