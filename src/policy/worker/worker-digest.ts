import { hashJson } from '#domain/json/digest.ts'
import type { WorkerDefinition } from '../worker-definition.ts'

/**
 * The version of the preamble: 0 is none, for runs from before there was one. It is raised when the
 * text changes (policy/preamble), and is part of a worker's digest, so that a run has the same
 * preamble from its first turn to its last.
 */
export type PreambleVersion = 0 | 1

const newest = 1 satisfies PreambleVersion

type Content = Pick<WorkerDefinition, 'name' | 'text' | 'script'>

/** Content address of a worker version: what a run pins when it starts. */
export function workerDigest({ name, text, script }: Content): string {
  return hashJson({ name, definition: text, script, preamble: newest })
}

/**
 * The preamble version of a run that pinned this worker under a digest; `null`: the digest is
 * another worker's.
 */
export function preambleVersionOf(
  worker: Content & Pick<WorkerDefinition, 'digest'>,
  digest: unknown,
): PreambleVersion | null {
  if (digest === worker.digest) return newest
  const { name, text, script } = worker
  return digest === hashJson({ name, definition: text, script }) ? 0 : null
}
