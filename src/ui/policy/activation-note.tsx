import type { PolicyActivation } from '#api/schemas/policy/policy.ts'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'

/** When a version was activated, the people who agreed to it, and the words of its note. */
export function ActivationWords({ activation }: { activation: PolicyActivation }) {
  const { activatedAt, note, people } = activation
  const { words } = readNote(note)
  return (
    <>
      Activated <Time at={activatedAt} /> by{' '}
      {people.map(({ name }) => name).join(' and ') || 'the service'}
      {words !== null && (
        <span className="dim">
          , <VisibleText text={words} />
        </span>
      )}
    </>
  )
}

/** The commit of a note as a line under *Proof*; none if it names none. Pure. */
export function commitProof(note: string | null) {
  const { commit } = readNote(note)
  return commit === null ? [] : [{ of: 'the Git commit', value: commit, what: 'Git commit' }]
}

/** The words of a note (`commit 4b82… by Ada`), and the full id of the commit, which is a proof. */
function readNote(note: string | null): { words: string | null; commit: string | null } {
  const [, commit, author] = /^commit ([0-9a-f]{40,64}) (by .*)$/s.exec(note ?? '') ?? []
  if (commit === undefined || author === undefined) return { words: note, commit: null }
  return { words: `committed ${author}`, commit }
}
