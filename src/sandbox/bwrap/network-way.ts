/** The connection of a sandbox's network to the outside. */
export interface NetworkWay {
  /** resolves when it works; rejects with the rest of a sentence */
  readonly ready: Promise<void>
  /** refused connections, as sentences */
  refusals(): readonly string[]
  close(): void
}
