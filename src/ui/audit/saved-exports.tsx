import { Link } from 'react-router'
import { requestOf } from '#client/call.ts'
import { useSavedViews } from '../api/queries.ts'
import { SaveButton } from '../states/save-button.tsx'
import { visibleString } from '../text/visible-string.ts'
import { RemoveView } from '../views/remove-view.tsx'

/** The person's saved filters of the trail, each with links to its events and its export. */
export function SavedExports({ query: filters, readsAll }: { query: string; readsAll: boolean }) {
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
