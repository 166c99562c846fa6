/** Example tasks, shown while there are none: each opens the form with its fields filled in. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { goTo, hrefOf } from '../route';
import type { Wish } from './task-form-view';

const RECIPES = [
  { name: 'digest', schedule: '0 8 * * 1-5' },
  { name: 'folder', schedule: 'every 30m', check: 'command: ls ~/inbox' },
  { name: 'backup', schedule: 'daily at 02:00' },
] as const;
type Recipe = (typeof RECIPES)[number];

let taken: Partial<Wish> | undefined;

/** The last chosen recipe; returned only once. */
export function takeRecipe(): Partial<Wish> | undefined {
  const recipe = taken;
  taken = undefined;
  return recipe;
}

const wishOf = (recipe: Recipe): Partial<Wish> => ({
  name: t(`recipe.${recipe.name}`),
  prompt: t(`recipe.${recipe.name}.prompt`),
  schedule: recipe.schedule,
  ...('check' in recipe ? { check: recipe.check } : {}),
});

export function Recipes(): ReactElement {
  return (
    <ul className="recipes" aria-label={t('recipe.title')}>
      {RECIPES.map((recipe) => (
        <li key={recipe.name}>
          <a
            className="card stack recipe"
            href={hrefOf({ kind: 'taskForm' })}
            onClick={(event) => {
              event.preventDefault();
              taken = wishOf(recipe);
              goTo({ kind: 'taskForm' });
            }}
          >
            <span className="m5">{t(`recipe.${recipe.name}`)}</span>
            <span className="sm t2 wrap">{t(`recipe.${recipe.name}.prompt`)}</span>
            <span className="sm t3">{t(`recipe.${recipe.name}.when`)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
