import { useEffect, type CSSProperties } from 'react'
import type { FieldValue, StructuredField } from '#domain/fields/structured-fields.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { LinesView } from './lines-view.tsx'
import './fields-view.css'

/** Deeper fields are not indented further, so that their values keep their width. */
const maxIndent = 6

/**
 * The fields of a call as a table: labels, values for people, and beside a value in words the exact
 * one. All of it is drawn at once, which `onAllVisible` is told.
 */
export function FieldsView(props: {
  fields: readonly StructuredField[]
  /** the name of the table; absent: the fields of the call itself */
  label?: string
  onAllVisible?: (isComplete: boolean) => void
}) {
  const { fields, onAllVisible } = props
  useEffect(() => onAllVisible?.(true), [onAllVisible, fields])
  return (
    <table className="fields" aria-label={props.label ?? 'Fields'}>
      <tbody>
        {fields.map((field) => (
          <tr
            key={field.line}
            data-field-line={field.line}
            style={{ '--depth': Math.min(field.depth, maxIndent) } as CSSProperties}
          >
            <th scope="row">
              <VisibleText text={field.label} />
              {field.name !== null && (
                <code className="field-exact">
                  <VisibleText text={field.name} />
                </code>
              )}
            </th>
            <td>
              <Value value={field.value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Value({ value }: { value: FieldValue }) {
  switch (value.kind) {
    case 'lines':
      return <LinesView text={value.text} showFinalNewline atFirst={Number.POSITIVE_INFINITY} />
    case 'group':
      return value.text === '' ? null : <span className="dim small">{value.text}</span>
    case 'json':
      return (
        <code>
          <VisibleText text={value.text} />
        </code>
      )
    case 'short':
      return (
        <>
          <VisibleText text={value.text} />{' '}
          {value.exact !== null && (
            <code className="field-exact">
              <VisibleText text={value.exact} />
            </code>
          )}
        </>
      )
  }
}
