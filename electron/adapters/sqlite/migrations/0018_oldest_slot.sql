-- The first of the slots that a decision stands for, where there are several: an edited rule tells it no more.
ALTER TABLE task_slots ADD COLUMN oldest INTEGER;
