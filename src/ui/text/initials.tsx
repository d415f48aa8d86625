import { initialsOf } from './initials-of.ts'

/** The initials of a person. Screen readers ignore them, because the name is beside them. */
export function Initials({ name }: { name: string }) {
  return <span className="initials" data-initials={initialsOf(name)} aria-hidden />
}
