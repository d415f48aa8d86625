/** What leads out of a sandbox's network. */
export interface NetworkWay {
  /** once it does; rejects with the rest of a sentence */
  readonly ready: Promise<void>
  /** what the command asked for and did not get, sentences */
  refused(): readonly string[]
  close(): void
}
