import { Link } from 'react-router'
import { requestOf } from '#client/call.ts'
import { useSavedViews } from '../api/queries.ts'
import { SaveButton } from '../states/save-button.tsx'
import { visibleString } from '../text/visible-string.ts'
import { RemoveView } from '../views/remove-view.tsx'

/** Filters of the trail that the reader keeps, each to be looked at or exported as it is now. */
export function SavedExports({ shown: filters, readsAll }: { shown: string; readsAll: boolean }) {
  const views = useSavedViews('audit')
  if (views.length === 0) return null
  return (
    <section className="saved-exports" aria-label="Saved exports">
      <ul className="plain-list">
        {views.map(({ id, name, query }) => (
          <li key={id}>
            <Link
              to={`/audit?${query}`}
              aria-current={query === filters ? 'page' : undefined}
              className="grow break"
            >
              {visibleString(name)}
            </Link>
            {readsAll && (
              <SaveButton
                size="compact-sm"
                variant="default"
                request={requestOf('exportAudit', {
                  query: { ...Object.fromEntries(new URLSearchParams(query)), format: 'jsonl' },
                })}
              >
                Export<span className="visually-hidden"> {visibleString(name)}</span>
              </SaveButton>
            )}
            <RemoveView id={id} name={visibleString(name)} />
          </li>
        ))}
      </ul>
    </section>
  )
}
