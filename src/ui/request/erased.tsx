import { useEffect } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { useMe } from '../api/queries.ts'
import { removeErasedDrafts } from '../states/draft.ts'
import { Hash } from '../text/hash.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'

type Erasure = NonNullable<RequestDetail['erased']>

/** Replaces erased contents: who erased them and when, and the hashes that are left. */
export function Erased({ requestId, erased }: { requestId: string; erased: Erasure }) {
  const { id: personId } = useMe().person
  useEffect(() => removeErasedDrafts(requestId, personId), [requestId, personId])
  const { at, by, contents } = erased
  return (
    <section className="card" aria-labelledby="erased-title">
      <h2 id="erased-title">The contents were erased</h2>
      <p>
        <VisibleText text={by.name} /> had them erased <Time at={at} />: the arguments of the call,
        its presentation, its files, its result, and the later messages of the model. The decisions,
        with their times and rules, are still here, and the trail is complete.
      </p>
      {contents.length > 0 && (
        <details className="facts-line">
          <summary>What was erased: {contents.length}</summary>
          <ul>
            {contents.map((part) => (
              <li key={`${part.of} ${part.revision} ${part.hash}`} className="row spread">
                <span>
                  {labels[part.of] ?? part.of}
                  {part.revision !== null && contents.some((one) => (one.revision ?? 0) > 1)
                    ? ` of revision ${part.revision}`
                    : ''}
                </span>
                <span className="dim small">
                  {part.bytes.toLocaleString('en')} bytes <Hash value={part.hash} what="hash" />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

const labels: Readonly<Record<string, string>> = {
  input: 'Arguments',
  arguments: 'Arguments, as the model wrote them',
  presentation: 'What was shown',
  content: 'The bytes themselves',
  file: 'A file that it named',
  claim: 'The program’s own words',
  summary: 'The program’s report',
  statement: 'The agent’s statement',
  result: 'What it returned',
  words: 'What the model said',
  task: 'The task of the run that it started',
}
