import type { JsonObject } from '#domain/json/json.ts'
import { Notice } from '../../states/notice.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import { compareLink, type StartLink } from './start-link.ts'
import type { TaskTexts } from './task-texts.ts'

/** Says what a link filled in, and what of it a field cannot show. */
export function LinkNotice(props: {
  link: StartLink
  draft: TaskTexts
  schema: JsonObject | null
}) {
  const { hiding, titles, unused } = compareLink(props.link, props.draft, props.schema)
  return (
    <>
      {titles.length > 0 && (
        <p className="dim small">
          {props.schema === null ? (
            'A link filled in this task. Read it before you start it.'
          ) : (
            <>
              A link filled in <VisibleText text={titles.join(', ')} />. Read it before you start
              the run.
            </>
          )}
        </p>
      )}
      {hiding.map((text) => (
        <Notice key={text} tone="bad" title="It contains characters that the field does not show">
          <VisibleText text={text} />
        </Notice>
      ))}
      {unused.length > 0 && (
        <p className="small" role="status">
          The link also names <VisibleText text={unused.join(', ')} />, for which this form has no
          field, or which its field cannot take.
        </p>
      )}
    </>
  )
}
