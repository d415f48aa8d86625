/** Who did something. Audit events and verbs name their actor by this type, never by a string. */
export type Actor =
  | { readonly type: 'person'; readonly id: string; readonly name: string }
  | {
      readonly type: 'machine'
      readonly id: string
      readonly name: string
      readonly ownerId: string
      /** who proposed the key to its owner, and is behind what it does; absent: nobody */
      readonly proposedBy?: string
    }
  | { readonly type: 'policy'; readonly id: string }
  | { readonly type: 'timer' }
  | { readonly type: 'system'; readonly name?: string }

export const actorTypes = [
  'person',
  'machine',
  'policy',
  'timer',
  'system',
] as const satisfies readonly Actor['type'][]

/** The way a verb was reached; recorded with every audit event. */
export type Channel = 'dashboard' | 'api' | 'cli' | 'slack' | 'workflow' | 'relay' | 'system'
