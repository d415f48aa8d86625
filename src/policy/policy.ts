import type { ProjectConfig } from './project-config.ts'
import type { WorkerDefinition } from './worker-definition.ts'

/**
 * One version of a project folder, parsed and valid. `digest` is content-addressed: the hash of
 * every file that counts (see version-digest.ts), so that two folders with the same files are the
 * same version.
 */
export interface Policy {
  readonly digest: string
  readonly config: ProjectConfig
  readonly workers: ReadonlyMap<string, WorkerDefinition>
  /** every file below `tools/`, by path in the project folder; `hash`: `sha256:…` of its bytes */
  readonly toolFiles: readonly ToolFile[]
  /** the files that the version was parsed from, for storing it */
  readonly files: ProjectFiles
}

/** The files of a project folder that make a version, by relative path with `/`. */
export interface ProjectFiles {
  /** `countersign.yaml`, `workers/*.md`, and the scripts that workers name */
  readonly texts: ReadonlyMap<string, string>
  readonly toolFiles: readonly ToolFile[]
  /**
   * the programs of MCP servers on standard input that lie in the project folder; absent: no server
   * is on standard input, or an earlier release recorded the version
   */
  readonly serverFiles?: readonly ToolFile[]
}

export interface ToolFile {
  readonly path: string
  readonly hash: string
}

/** One problem of a project folder: where it is, what it is, and the remedy. */
export interface ProjectProblem {
  readonly file: string
  /** counts from 1; `null`: the whole file */
  readonly line: number | null
  readonly problem: string
  readonly remedy: string
  /** a version with warnings is valid */
  readonly severity: 'error' | 'warning'
}
