import type { Policy } from '#policy/policy.ts'
import type { McpDefinition, McpListing } from './mcp-protocol.ts'

/** A server's pinned definitions in an activated version (product.md 25). */
export type Pin =
  | { readonly state: 'pinned'; readonly definitions: readonly McpDefinition[] }
  /** the server has not answered since the activation */
  | { readonly state: 'none' }
  /** the stored definitions are not the signed ones: nothing of the server may run */
  | { readonly state: 'forged'; readonly problem: string }

/** The pins of activated versions, by worker and server. */
export interface McpPins {
  read(
    policy: Policy,
    server: { readonly worker: string; readonly name: string; readonly hash: string },
    /** its present definitions; `null`: it does not answer */
    listing: McpListing | null,
  ): Promise<Pin>
}
