import { initialsOf } from './initials-of.ts'

/** A person as two letters, beside their name, which says it all: they are drawn, and not read. */
export function Initials({ name }: { name: string }) {
  return <span className="initials" data-initials={initialsOf(name)} aria-hidden />
}
