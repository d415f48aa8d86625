/** Who did something. Never a bare string: every audit event and every verb names its actor this way. */
export type Actor =
  | { readonly type: 'person'; readonly id: string; readonly name: string }
  | {
      readonly type: 'machine'
      readonly id: string
      readonly name: string
      readonly ownerId: string
    }
  | { readonly type: 'policy'; readonly id: string }
  | { readonly type: 'timer' }
  | { readonly type: 'system'; readonly name?: string }

/** The way a verb was reached; recorded with every audit event. */
export type Channel = 'dashboard' | 'api' | 'cli' | 'slack' | 'workflow' | 'relay' | 'system'
