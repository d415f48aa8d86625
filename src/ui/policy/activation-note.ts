/** The note of an activation: its words, and the full id of the Git commit, which is a proof. */
interface ActivationNote {
  readonly words: string | null
  /** null: the note names none */
  readonly commit: string | null
}

/** Separates the id of the commit from the words of a note (`commit 4b82… by Ada`). Pure. */
export function readNote(note: string | null): ActivationNote {
  const [, commit, author] = /^commit ([0-9a-f]{40,64}) (by .*)$/s.exec(note ?? '') ?? []
  if (commit === undefined || author === undefined) return { words: note, commit: null }
  return { words: `committed ${author}`, commit }
}

/** The commit as a line under *Proof*; none if the note names none. Pure. */
export function commitProof({ commit }: ActivationNote) {
  return commit === null ? [] : [{ of: 'the Git commit', value: commit, what: 'Git commit' }]
}
