import type { Zone } from '../worker-definition.ts'

/**
 * Whether nobody may read a zone's files: no rule, mode, grant or approval lifts that (product.md
 * 1), so the sandbox does not mount it.
 */
export function isReadBlocked({ approval }: Pick<Zone, 'approval'>): boolean {
  return approval.read?.approval === 'blocked'
}
