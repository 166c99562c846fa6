import { Button } from '@mantine/core';
import { Plus } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { useFormInPlace } from '../keys/use-form-in-place';

/** The button below a list that adds to it, and the form that takes its place. */
export function AddInPlace({
  title,
  label,
  isOpen,
  onOpen,
  children,
}: {
  /** Of the form. */
  title: string;
  /** Of the button. */
  label: string;
  isOpen: boolean;
  onOpen: () => void;
  /** The form. */
  children: ReactNode;
}): ReactElement {
  const { opener, place } = useFormInPlace(isOpen);
  return isOpen ? (
    <section ref={place} className="card padded" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  ) : (
    <div>
      <Button ref={opener} leftSection={<Plus className="icon small" />} onClick={onOpen}>
        {label}
      </Button>
    </div>
  );
}
