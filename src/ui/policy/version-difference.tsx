import type { PolicyDifference } from '#api/schemas/policy/policy.ts'
import { LinesView } from '../effect/lines-view.tsx'
import { VisibleText } from '../text/visible-text.tsx'

/** The difference of a version: the settings first, then the lines of its files. */
export function VersionDifference({ difference }: { difference: PolicyDifference }) {
  const { files, settings } = difference
  return (
    <div className="column">
      {settings.length === 0 && <p className="dim small">No setting differs.</p>}
      <ul className="plain-list">
        {settings.map(({ at, before, after }) => (
          <li key={`${at} ${before} ${after}`}>
            <span className="grow break">
              <code>
                <VisibleText text={at} />
              </code>
            </span>
            <span className="small break">
              <Value text={before} /> → <Value text={after} />
            </span>
          </li>
        ))}
      </ul>
      {files.map(({ path, change, diff }) => (
        <details key={path}>
          <summary className="small">
            {change} <VisibleText text={path} />
          </summary>
          {diff === null ? (
            <p className="dim small">Compared as a whole: there are no lines to show.</p>
          ) : (
            <LinesView text={diff} showFinalNewline={false} tone="diff" />
          )}
        </details>
      ))}
    </div>
  )
}

function Value({ text }: { text: string | null }) {
  return text === null ? <span className="dim">absent</span> : <VisibleText text={text} />
}
